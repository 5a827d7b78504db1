import { Select } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";

/** One of the values that can be chosen; `label` is its plain text, `mark` what stands before it. */
export type Option<Value extends string> = { value: Value; label: string; mark?: ReactNode };

/** A list to choose one value from. Named by `label`, or by the element with the id `labelledBy`. */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
  quiet = false,
  id,
  className = "",
}: {
  label: string;
  options: Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  quiet?: boolean;
  id?: string;
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
        aria-label={`${label}: ${chosen?.label ?? ""}`}
        className={`flex min-w-0 items-center gap-2 rounded-md text-left text-base select-none ${
          quiet
            ? "h-8 border border-transparent px-2 hover:bg-hover"
            : "h-8 border border-line-strong/60 bg-surface px-2.5 hover:bg-hover"
        } ${className}`}
      >
        {chosen?.mark}
        <span className="min-w-0 flex-1 truncate">{chosen?.label ?? ""}</span>
        <Select.Icon className="text-muted">
          <ChevronsUpDown aria-hidden className="size-3.5" />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner alignItemWithTrigger={false} sideOffset={4} className="z-50">
          <Select.Popup className="max-h-[min(20rem,var(--available-height))] min-w-(--anchor-width) max-w-[min(20rem,100vw)] overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float focus:outline-none">
            {options.map(({ value: option, label: text, mark }) => (
              <Select.Item
                key={option}
                value={option}
                className="flex h-8 cursor-default items-center gap-2 rounded-md px-2 outline-none select-none data-highlighted:bg-hover"
              >
                {mark}
                <Select.ItemText className="min-w-0 flex-1 truncate">{text}</Select.ItemText>
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
