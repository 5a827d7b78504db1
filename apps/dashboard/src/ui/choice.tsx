import { Check, ChevronsUpDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { type Opened, openedBy, Popup } from "./popup.tsx";

/** An option: `label` is its text, `mark` the icon before it, and `hint` the effect of choosing it. */
export type Option<Value extends string> = { value: Value; label: string; mark?: ReactNode; hint?: string };

/** The classes of a chip: a field of a card that is edited in place. */
export const chipClass =
  "h-7 max-w-full gap-1.5 rounded-full border border-line bg-surface px-2.5 text-sm hover:border-line-strong hover:bg-hover";

/** The classes of a button that opens a list of options. */
export const choiceClass =
  "flex h-8 min-w-0 cursor-default! items-center gap-2 rounded-md border border-line-strong/60 bg-surface px-2.5 text-left text-base select-none hover:bg-hover";

/** The maximum height of a list before it scrolls, in pixels. */
const listHeightMaxPx = 320;

/** A select with the accessible name `label`. As a chip it is as wide as the chosen option. */
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
