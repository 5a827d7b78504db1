import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { autoScrollForElements } from "@atlaskit/pragmatic-drag-and-drop-auto-scroll/element";
import { changeColumn, deleteColumn } from "@lodge/contract/calls.generated";
import type { Board, Card } from "@lodge/contract/dashboard/boards";
import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../api/call.ts";
import type { CardFilter } from "../api/queries.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { OrderedActions } from "../ui/ordered-actions.tsx";
import { BoardCard } from "./board-card.tsx";
import { NewCard } from "./new-card.tsx";

/** A column of a board with its cards, the topmost first. */
export function BoardColumn({
  board,
  column,
  index,
  filter,
  carriedId,
  writing,
  setWriting,
  showMore,
  openMenu,
}: {
  board: Board;
  column: Board["columns"][number];
  index: number;
  filter: CardFilter;
  carriedId: string | undefined;
  writing: boolean;
  setWriting: (writing: boolean) => void;
  showMore: () => Promise<void>;
  openMenu: (card: Card, anchor: HTMLElement) => void;
}) {
  const { area, list, over } = useColumnDrop(column.id);
  const filtered = Object.keys(filter).length > 0;
  return (
    <section
      ref={area}
      aria-labelledby={`column-${column.id}`}
      className={`flex max-h-full w-[min(17rem,calc(100vw-3rem))] shrink-0 snap-start flex-col rounded-xl transition-colors duration-100 ${
        over ? "bg-accent-soft" : "bg-sunken"
      }`}
    >
      <div className="flex h-11 shrink-0 items-center gap-2 pr-1.5 pl-3">
        <h2 id={`column-${column.id}`} className="truncate text-sm font-semibold">
          {column.name}
        </h2>
        <span className="text-sm text-muted tabular-nums">
          {column.cardCount}
          <span className="sr-only">{column.cardCount === 1 ? " card" : " cards"}</span>
        </span>
        <div className="ml-auto flex">
          <IconButton label={`New card in ${column.name}`} className="size-7" onClick={() => setWriting(true)}>
            <Plus aria-hidden className="size-4" />
          </IconButton>
          <OrderedActions
            what="column"
            name={column.name}
            change={(body) => call(changeColumn, { params: { columnId: column.id }, body })}
            remove={() => call(deleteColumn, { params: { columnId: column.id } })}
            index={index}
            count={board.columns.length}
            deleting="Only a column without cards can be deleted."
            className="size-7"
          />
        </div>
      </div>
      <div ref={list} className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {writing && <NewCard column={column} close={() => setWriting(false)} />}
        {/* biome-ignore lint/a11y/noRedundantRoles: without bullets, Safari no longer takes it for a list */}
        <ul role="list" className="flex min-h-8 flex-col gap-2">
          {column.cards.map((card) => (
            <BoardCard
              key={card.id}
              card={card}
              filter={filter}
              carried={card.id === carriedId}
              openMenu={(anchor) => openMenu(card, anchor)}
            />
          ))}
        </ul>
        {column.cards.length === 0 && !writing && (
          <p className="-mt-7 px-1 text-sm text-muted">{filtered ? "No card fits the filter" : "No cards"}</p>
        )}
        {column.nextCursor !== null && <More left={column.cardCount - column.cards.length} showMore={showMore} />}
      </div>
    </section>
  );
}

function More({ left, showMore }: { left: number; showMore: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    await showMore();
    setBusy(false);
  };
  return (
    <Button look="quiet" small busy={busy} className="mt-2 w-full" onClick={() => void load()}>
      Show more ({left})
    </Button>
  );
}

function useColumnDrop(columnId: string) {
  const area = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!area.current || !list.current) return;
    return combine(
      dropTargetForElements({
        element: area.current,
        getData: () => ({ columnId }),
        onDragEnter: () => setOver(true),
        onDragLeave: () => setOver(false),
        onDrop: () => setOver(false),
      }),
      autoScrollForElements({ element: list.current }),
    );
  }, [columnId]);
  return { area, list, over };
}
