import type { FoundCard } from "@lodge/contract/dashboard/search";
import { filterLengthMax } from "@lodge/contract/limits";
import { useId, useState } from "react";
import { useSearch } from "../../api/use-search.ts";
import { controlClass } from "../../ui/field.tsx";
import { type Opened, Popup } from "../../ui/popup.tsx";
import { useMarked } from "../../ui/use-marked.ts";
import { shownTitle } from "../../ui/visible-text.ts";

/** Chooses a card of the organisation by its number or text. Enter chooses the active option. */
export function RelationPicker({
  label,
  without,
  take,
  close,
  ...opened
}: Opened & {
  label: string;
  /** The ids of cards that cannot be chosen. */
  without: ReadonlySet<string>;
  take: (card: FoundCard) => void;
  close: () => void;
}) {
  const [typed, setTyped] = useState("");
  const { found, searching, failed } = useSearch(typed.trim());
  const cards = (found?.cards ?? []).filter(({ id }) => !without.has(id));
  const listId = useId();
  const choose = (index: number) => {
    const card = cards[index];
    if (!card || searching) return; // the options may still belong to the previous text
    close();
    take(card);
  };
  const { active, mark, onKeyDown } = useMarked(cards.length, typed, choose, { leave: () => setTyped("") });
  return (
    <Popup
      {...opened}
      byKeys // moves the focus to the field, however the popup was opened
      role="dialog"
      align="end"
      label={label}
      close={close}
      className="flex w-96 max-w-[calc(100vw-1rem)] flex-col"
    >
      <div className="p-2 pb-1">
        <input
          role="combobox"
          aria-label={`${label}: find a card`}
          placeholder="Title or number, like WEB-12"
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={cards[active] && `${listId}-${active}`}
          autoComplete="off"
          dir="auto"
          maxLength={filterLengthMax}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          className={`${controlClass} h-8`}
        />
      </div>
      <p role="status" className={failed ? "px-3 py-1 text-sm text-danger-ink" : "sr-only"}>
        {failed ? "Could not search." : searching ? "Searching" : typed.trim() && `${cards.length} found`}
      </p>
      <div role="listbox" id={listId} aria-label="Cards" className="max-h-64 min-h-0 overflow-y-auto p-1">
        {cards.map(({ id, number, title, project, board, column, archived }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and references the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            data-active={index === active || undefined}
            onPointerMove={() => mark(index)}
            onPointerDown={(event) => event.preventDefault()} // keeps the focus in the field
            onClick={() => choose(index)}
            className="rounded-md px-2 py-1 data-active:bg-hover"
          >
            <p dir="auto" className="truncate">
              {number && <span className="text-muted tabular-nums">{number} </span>}
              {shownTitle(title)}
            </p>
            <p className="truncate text-xs text-muted">
              {project.name} / {board.name} / {archived ? "archived" : column.name}
            </p>
          </div>
        ))}
        {cards.length === 0 && !failed && (
          <p className="px-2 py-1.5 text-sm text-muted">
            {typed.trim() === "" ? "Type to find cards on any board." : searching ? "Searching…" : "No cards found"}
          </p>
        )}
      </div>
    </Popup>
  );
}
