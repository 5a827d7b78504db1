import { useEffect, useRef } from "react";
import type { Entry } from "./entry.tsx";

/** The results in named groups. The search field handles the keys. */
export function Found({
  id: listId,
  label,
  entries,
  chosen,
  choose,
  run,
  empty,
}: {
  id: string;
  label: string;
  entries: readonly Entry[];
  chosen: Entry | undefined;
  choose: (entry: Entry) => void;
  run: (entry: Entry) => void;
  /** The text shown when nothing is found. */
  empty: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  return (
    <div ref={list} id={listId} role="listbox" aria-label={label} className="min-h-0 overflow-y-auto p-1.5">
      {entries.length === 0 && <p className="px-2.5 py-2 text-muted">{empty}</p>}
      {entries.map((entry, index) => (
        <div key={entry.id} role="presentation">
          {entry.group !== entries[index - 1]?.group && (
            <p role="presentation" dir="auto" className="truncate px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
              {entry.group}
            </p>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field */}
          <div
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={entry === chosen}
            onMouseMove={() => entry !== chosen && choose(entry)}
            onMouseDown={(event) => event.preventDefault()} // keeps the focus in the field
            onClick={() => run(entry)}
            className={`flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 ${entry === chosen ? "bg-hover" : ""}`}
          >
            {entry.mark}
            <span className="flex min-w-0 flex-1 flex-col py-1.5 sm:flex-row sm:items-center sm:gap-2.5">
              <span dir="auto" className="min-w-0 truncate sm:flex-1">
                {entry.label}
              </span>
              {entry.hint && (
                <span className="shrink-0 truncate text-xs text-muted sm:max-w-[40%] sm:text-sm">{entry.hint}</span>
              )}
            </span>
            {entry.shortcut && (
              <kbd className="hidden shrink-0 font-sans text-sm text-muted sm:block">{entry.shortcut}</kbd>
            )}
          </div>
        </div>
      ))}
    </div>
  );
}
