import { ChevronsLeftRight } from "lucide-react";
import { chooseForColumn } from "../../api/column-choices.ts";
import type { LoadedColumn } from "../../api/patch-board.ts";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { newCardButtonId } from "./new-card.tsx";
import { useColumnDrop } from "./use-column-drop.ts";

/** A collapsed column: its name and number of cards. Cards can be dropped on it. */
export function CollapsedColumn({ column: { id, name }, cardCount }: { column: LoadedColumn; cardCount: number }) {
  const { area, over } = useColumnDrop(id);
  const expand = () => {
    keepFocusAt(`#${newCardButtonId(id)}`);
    chooseForColumn(id, { collapsed: undefined });
  };
  return (
    <section
      ref={area}
      aria-labelledby={`column-${id}`}
      className={`flex max-h-full w-11 shrink-0 snap-start flex-col rounded-xl ${over ? "bg-accent-soft" : "bg-sunken"}`}
    >
      <button
        type="button"
        aria-expanded={false}
        title={`Expand ${name}`}
        onClick={expand}
        className="flex min-h-0 flex-col items-center gap-2 rounded-xl py-3 hover:bg-hover"
      >
        <ChevronsLeftRight aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="sr-only">Expand</span>
        <span
          id={`column-${id}`}
          dir="auto"
          className="order-last min-h-0 truncate text-sm font-semibold [writing-mode:vertical-rl]"
        >
          {name}
        </span>
        <span className="text-sm text-muted tabular-nums">
          {cardCount}
          <span className="sr-only">{cardCount === 1 ? " card" : " cards"}</span>
        </span>
      </button>
    </section>
  );
}
