import { Check, ChevronsUpDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { type Opened, openedBy, Popup } from "./popup.tsx";

/** One of the values that can be chosen; `label` is its plain text, `mark` what stands before it, `hint` what choosing it does. */
export type Option<Value extends string> = { value: Value; label: string; mark?: ReactNode; hint?: string };

/** How a fact of a card looks that can be changed where it stands. */
export const chipClass =
  "h-7 max-w-full gap-1.5 rounded-full border border-line bg-surface px-2.5 text-sm hover:border-line-strong hover:bg-hover";

/** How a button looks that opens a list to choose from. */
export const choiceClass =
  "flex h-8 min-w-0 cursor-default! items-center gap-2 rounded-md border border-line-strong/60 bg-surface px-2.5 text-left text-base select-none hover:bg-hover";

/** Beyond which a list is scrolled. */
const listHeightMaxPx = 320;

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
  const [opened, setOpened] = useState<Opened>();
  const listId = useId();
  return (
    <>
      <button
        type="button"
        {...(id && { id })}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={opened !== undefined}
        {...(opened && { "aria-controls": listId })}
        {...(shortcut && { "aria-keyshortcuts": shortcut, title: `${label} (${shortcut.toUpperCase()})` })}
        aria-label={`${label}: ${chosen?.label ?? ""}`}
        onClick={(event) => setOpened(opened ? undefined : openedBy(event))}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setOpened({ anchor: event.currentTarget, byKeys: true });
        }}
        className={`${chip ? `flex min-w-0 cursor-default! items-center text-left select-none ${chipClass}` : choiceClass} ${className}`}
      >
        {chosen?.mark}
        <span className="min-w-0 flex-1 truncate">{chosen?.label ?? ""}</span>
        {!chip && <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted" />}
      </button>
      {opened && (
        <Popup
          {...opened}
          role="listbox"
          id={listId}
          label={label}
          asWide
          heightMaxPx={listHeightMaxPx}
          close={() => setOpened(undefined)}
          className="max-w-[min(20rem,100vw-1rem)] p-1"
        >
          {options.map(({ value: option, label: text, mark, hint }) => (
            <button
              key={option}
              type="button"
              role="option"
              aria-selected={option === value}
              tabIndex={-1}
              onClick={() => {
                onChange(option);
                setOpened(undefined);
              }}
              className="flex h-8 w-full cursor-default! items-center gap-2 rounded-md px-2 text-left outline-none select-none focus:bg-hover"
            >
              {mark}
              <span className="min-w-0 flex-1 truncate">{text}</span>
              {hint && <span className="shrink-0 text-xs text-muted">{hint}</span>}
              <span className="size-4 shrink-0 text-accent-ink">
                {option === value && <Check aria-hidden className="size-4" />}
              </span>
            </button>
          ))}
        </Popup>
      )}
    </>
  );
}
