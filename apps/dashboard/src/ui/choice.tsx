import { Select } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";

/** One of the values that can be chosen; `label` is its plain text, `mark` what stands before it, `hint` what choosing it does. */
export type Option<Value extends string> = { value: Value; label: string; mark?: ReactNode; hint?: string };

/** How a fact of a card looks that can be changed where it stands. */
export const chipClass =
  "h-7 max-w-full gap-1.5 rounded-full border border-line bg-surface px-2.5 text-sm hover:border-line-strong hover:bg-hover";

/** A list to choose one value from, named by `label`; as a chip it is as wide as what is chosen. */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
  chip = false,
  id,
  shortcut,
  className = "",
}: {
  label: string;
  options: Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  chip?: boolean;
  id?: string;
  shortcut?: string;
  className?: string;
}) {
  const chosen = options.find((option) => option.value === value);
  return (
    <Select.Root
      items={options}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Select.Trigger
        {...(id && { id })}
        {...(shortcut && { "aria-keyshortcuts": shortcut, title: `${label} (${shortcut.toUpperCase()})` })}
        aria-label={`${label}: ${chosen?.label ?? ""}`}
        className={`flex min-w-0 items-center text-left select-none ${chip ? chipClass : "h-8 gap-2 rounded-md border border-line-strong/60 bg-surface px-2.5 text-base hover:bg-hover"} ${className}`}
      >
        {chosen?.mark}
        <span className="min-w-0 flex-1 truncate">{chosen?.label ?? ""}</span>
        {!chip && (
          <Select.Icon className="text-muted">
            <ChevronsUpDown aria-hidden className="size-3.5" />
          </Select.Icon>
        )}
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner alignItemWithTrigger={false} sideOffset={4} className="z-50">
          <Select.Popup className="max-h-[min(20rem,var(--available-height))] min-w-(--anchor-width) max-w-[min(20rem,100vw)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float focus:outline-none">
            {options.map(({ value: option, label: text, mark, hint }) => (
              <Select.Item
                key={option}
                value={option}
                className="flex h-8 cursor-default items-center gap-2 rounded-md px-2 outline-none select-none data-highlighted:bg-hover"
              >
                {mark}
                <Select.ItemText className="min-w-0 flex-1 truncate">{text}</Select.ItemText>
                {hint && <span className="shrink-0 text-xs text-muted">{hint}</span>}
                <span className="size-4 shrink-0 text-accent-ink">
                  <Select.ItemIndicator>
                    <Check aria-hidden className="size-4" />
                  </Select.ItemIndicator>
                </span>
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}
