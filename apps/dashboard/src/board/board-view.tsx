import type { Card } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import type { LoadedBoard, LoadedColumn } from "../api/patch-board.ts";
import { type CardFilter, loadFurther } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { useHeadingFocus, useTitle } from "../ui/page-heading.tsx";
import { AddColumn } from "./add-column.tsx";
import { BoardColumn } from "./board-column.tsx";
import { BoardFilters } from "./board-filters.tsx";
import { CardMenu } from "./card-menu.tsx";
import { NewCardForm } from "./new-card.tsx";
import { useCarry } from "./use-carry.ts";
import { useDrops } from "./use-drops.ts";
import { useMoves } from "./use-moves.ts";
import { type NewCard, stillOnTheWay, useNewCards } from "./use-new-cards.ts";

const none: readonly NewCard[] = [];

/** A board: its filters, its columns, and every way to move a card. `covered` says that a card lies open over it. */
export function BoardView({
  board: loaded,
  filter,
  covered,
}: {
  board: LoadedBoard;
  filter: CardFilter;
  covered: boolean;
}) {
  const { board: moved, move } = useMoves(loaded);
  const { board, carriedId, announcement, onKeyDown } = useCarry(moved, move);
  const { onTheWay, hidden, ...writing } = useNewCards(loaded, filter);
  const columns = useRef<HTMLDivElement>(null);
  const heading = useHeadingFocus(covered);
  const [writingIn, setWritingIn] = useState<string>();
  const [menu, setMenu] = useState<{ card: Card; anchor: HTMLElement }>();
  const queryClient = useQueryClient();
  const { id: boardId } = board;
  const further = useCallback(
    (columnId: string) => loadFurther(queryClient, boardId, filter, columnId),
    [queryClient, boardId, filter],
  );
  const openMenu = useCallback((card: Card, anchor: HTMLElement) => setMenu({ card, anchor }), []);
  useDrops(columns, moved, move);
  useTitle(covered ? undefined : board.name);

  const onTheWayTo = (column: LoadedColumn) => {
    const cards = stillOnTheWay(onTheWay, column);
    return cards.length > 0 ? cards : none;
  };

  return (
    <main className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 md:px-6">
        <h1 ref={heading} tabIndex={-1} className="flex min-w-0 grow items-baseline gap-2 text-md font-semibold">
          <span className="truncate">{board.name}</span>
          <span className="truncate text-sm font-normal text-muted">{board.project.name}</span>
        </h1>
        <div className="order-last -mx-4 w-screen overflow-x-auto px-4 md:order-none md:mx-0 md:w-auto md:max-w-full md:px-0">
          <BoardFilters filter={filter} />
        </div>
        <Button
          look="primary"
          title="New card (C)"
          aria-keyshortcuts="c"
          onClick={() => setWritingIn(board.columns[0]?.id)}
        >
          <Plus aria-hidden className="size-4" />
          New card
        </Button>
      </div>
      <div role="status">
        {hidden && (
          <p className="flex flex-wrap items-center justify-center gap-x-2 border-b border-line bg-sunken px-4 py-1.5 text-sm">
            <span className="min-w-0 truncate">“{hidden.title}” was added, and the filter hides it.</span>
            <Link to="." search={{}} className="font-medium text-accent-ink underline">
              Show all cards
            </Link>
          </p>
        )}
      </div>
      <p className="sr-only" aria-live="assertive">
        {announcement}
      </p>
      <p id="card-keys" className="sr-only">
        Space picks the card up, to move it with the arrow keys.
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are for the cards in it */}
      <div
        ref={columns}
        onKeyDown={onKeyDown}
        className="relative flex min-h-0 flex-1 snap-x snap-proximity scroll-px-4 gap-3 overflow-x-auto p-4 md:snap-none md:px-6"
      >
        {board.columns.map((column, index) => (
          <BoardColumn
            key={column.id}
            projectId={board.project.id}
            boardId={board.id}
            column={column}
            index={index}
            count={board.columns.length}
            filter={filter}
            carriedId={column.cards.some(({ id }) => id === carriedId) ? carriedId : undefined}
            onTheWay={onTheWayTo(column)}
            form={
              writingIn === column.id && (
                <NewCardForm
                  {...writing}
                  column={column}
                  file={(title) => writing.file(title, column)}
                  close={() => setWritingIn(undefined)}
                />
              )
            }
            setWriting={setWritingIn}
            loadFurther={further}
            openMenu={openMenu}
          />
        ))}
        <AddColumn boardId={board.id} />
      </div>
      {menu && <CardMenu board={moved} {...menu} move={move} close={() => setMenu(undefined)} />}
    </main>
  );
}
