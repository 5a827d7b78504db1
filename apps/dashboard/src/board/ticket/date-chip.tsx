import { CalendarDays, X } from "lucide-react";
import { useRef, useState } from "react";
import { chipClass } from "../../ui/choice.tsx";
import { formatDay } from "../../ui/time.tsx";

/** A date of a card: a button that becomes a date field. `refuse` returns what is wrong with a date. */
export function DateChip({
  label,
  name,
  value,
  refuse,
  save,
  overdue = false,
}: {
  label: string;
  /** The date as a noun: the button says “Add” or “Clear” and this. */
  name: string;
  value: string | null;
  refuse: (date: string) => string | undefined;
  save: (date: string | null) => void;
  overdue?: boolean;
}) {
  const [editing, setEditing] = useState(false);
  const [problem, setProblem] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const clicked = useRef(false);
  const finish = (field: HTMLInputElement) => {
    const wrong = field.validity.badInput ? "This date does not exist." : field.value && refuse(field.value);
    setProblem(wrong || undefined);
    setEditing(false);
    if (!wrong && field.value !== (value ?? "")) save(field.value || null);
  };
  const refocus = () => requestAnimationFrame(() => button.current?.focus());
  return (
    <div className="flex max-w-full flex-wrap items-center gap-1">
      {editing ? (
        <input
          type="date"
          aria-label={label}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
          autoFocus
          min="0001-01-01"
          max="9999-12-31"
          defaultValue={value ?? ""}
          onFocus={(event) => clicked.current && openCalendar(event.currentTarget)}
          onBlur={(event) => finish(event.currentTarget)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== "Escape") return;
            event.stopPropagation(); // Escape must not close the card
            if (event.key === "Enter") finish(event.currentTarget);
            else {
              event.currentTarget.value = value ?? ""; // so that blur saves nothing
              setEditing(false);
            }
            refocus();
          }}
          className={`${chipClass} outline-accent`}
        />
      ) : (
        <button
          ref={button}
          type="button"
          aria-label={value ? `${label}: ${formatDay(value)}` : `Add ${name}`}
          onClick={(event) => {
            clicked.current = event.detail > 0; // a keyboard user types the date
            setProblem(undefined);
            setEditing(true);
          }}
          className={`flex items-center ${chipClass} ${value ? "" : "text-muted"} ${overdue ? "font-medium text-danger-ink" : ""}`}
        >
          <CalendarDays aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{value ? `${label} ${formatDay(value)}` : `Add ${name}`}</span>
        </button>
      )}
      {value && !editing && (
        <button
          type="button"
          aria-label={`Clear ${name}`}
          title={`Clear ${name}`}
          onClick={() => {
            button.current?.focus();
            save(null);
          }}
          className="-ml-0.5 inline-flex size-6 items-center justify-center rounded-full text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
      {problem && (
        <p role="alert" className="w-full px-1 text-xs text-danger-ink">
          {problem}
        </p>
      )}
    </div>
  );
}

function openCalendar(field: HTMLInputElement) {
  try {
    field.showPicker();
  } catch {
    // The browser has no date picker; the date can be typed.
  }
}
