import type { BoardSearch, CardFilter } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { memo, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import type { LoadedBoard, LoadedColumn } from "../../api/patch-board.ts";
import { loadNextPage } from "../../api/queries.ts";
import { tellDone } from "../../ui/toasts.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import type { NewCard } from "../send-later.ts";
import { useActedOn } from "./acted-on.ts";
import { AddColumn } from "./add-column.tsx";
import { BoardColumn } from "./board-column.tsx";
import { BoardHeader } from "./board-header.tsx";
import { FirstTicket } from "./first-ticket.tsx";
import { useShownBoard } from "./laid-out-cards.ts";
import { MenuOfCards, type OpenMenu } from "./menu-of-cards.tsx";
import type { Place } from "./move-card.ts";
import { NewCardForm } from "./new-card.tsx";
import { orderColumn } from "./order-column.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { useCardAddress } from "./use-card-address.ts";
import { useCarry } from "./use-carry.ts";
import { useChangeCards } from "./use-change-cards.ts";
import { useDrops } from "./use-drops.ts";
import { useMoves } from "./use-moves.ts";
import { stillOnTheWay, useNewCards } from "./use-new-cards.ts";
import { useSelection } from "./use-selection.ts";

const none: readonly NewCard[] = [];

/** A board with filters, columns and the ways to move a card. */
export const BoardView = memo(function BoardView({
  board: loaded,
  search,
  filter,
  awaited,
  isCovered,
}: {
  board: LoadedBoard;
  search: BoardSearch;
  /** The filter in the URL. */
  filter: CardFilter;
  /** Whether the board still shows the result of the previous filter. */
  awaited: boolean;
  /** Returns whether a card is open. A function, so that opening a card does not render the board. */
  isCovered: () => boolean;
}) {
  const { board: changed, change } = useChangeCards(loaded);
  const { board: moved, move } = useMoves(changed);
  const selection = useSelection(moved);
  const { selected, select, clear } = selection;
  // The checkboxes on all cards appear a frame after the first selection, because they repaint the whole board.
  const selecting = useDeferredValue(selected.size);
  const moveAll = (ticketIds: readonly string[], place: Place) => {
    const name = moved.columns.find(({ id }) => id === place.columnId)?.name ?? "";
    change(
      ticketIds.map((ticketId) => ({ ticketId, ...place })),
      `${ticketIds.length} cards moved to ${name}`,
    );
    clear();
  };
  const { board, carriedId, announcement, onKeyDown } = useCarry(moved, selected, move, moveAll);
  // The extra card appears a frame after the card was picked up.
  const extraId = useDeferredValue(carriedId);
  useShownBoard(board);
  const { onTheWay, hidden, file } = useNewCards(loaded, filter);
  const columns = useRef<HTMLDivElement>(null);
  const [writingIn, setWritingIn] = useState<string>();
  const write = () => setWritingIn(board.columns[0]?.id);
  useActedOn({ board: moved, selected, move, change, clear, write });
  const menu = useRef<OpenMenu>(null);
  const queryClient = useQueryClient();
  const { id: boardId } = board;
  const further = useCallback(
    (columnId: string) => loadNextPage(queryClient, boardId, filter, columnId),
    [queryClient, boardId, filter],
  );
  const order = useCallback(
    (columnId: string) => orderColumn(queryClient, boardId, filter, columnId),
    [queryClient, boardId, filter],
  );
  const openMenu: OpenMenu = useCallback((card, opened) => menu.current?.(card, opened), []);
  useDrops(columns, moved, selected, move, moveAll);

  const { searchText, openCard } = useCardAddress(boardId, search);
  const filtered = awaited || Object.keys(filter).length > 0;
  const isEmpty = !filtered && onTheWay.length === 0 && board.columns.every(({ cardCount }) => cardCount === 0);
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    const first = board.columns.flatMap(({ cards }) => cards)[0];
    if (wasEmpty.current && first) tellDone(`The first card has arrived: “${shownTitle(first.title)}”`);
    wasEmpty.current = isEmpty;
  }, [isEmpty, board]);
  const onTheWayTo = (column: LoadedColumn) => {
    const cards = stillOnTheWay(onTheWay, column);
    return cards.length > 0 ? cards : none;
  };

  return (
    <main className="relative flex h-full flex-col">
      <BoardHeader board={loaded} search={search} hidden={hidden?.title} isCovered={isCovered} write={write} />
      <p className="sr-only" aria-live="assertive">
        {announcement}
      </p>
      <p id="card-keys" className="sr-only">
        Press Space to pick up the card, then move it with the arrow keys. Press X to select it.
      </p>
      <p id="card-selected" className="sr-only">
        Selected.
      </p>
      <p className="sr-only" aria-live="polite">
        {selected.size > 0 && `${selected.size} ${selected.size === 1 ? "card" : "cards"} selected`}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the cards inside */}
      <div
        ref={columns}
        data-columns
        data-selecting={selecting || undefined}
        onKeyDown={(event) => {
          if (carriedId !== undefined || !selection.onKeyDown(event)) onKeyDown(event);
        }}
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
            filtered={filtered}
            searchText={searchText}
            selectedIds={column.cards.flatMap(({ id }) => (selected.has(id) ? id : [])).join(" ")}
            select={select}
            openCard={openCard}
            carriedId={column.cards.some(({ id }) => id === carriedId) ? carriedId : undefined}
            extraId={column.cards.some(({ id }) => id === extraId) ? extraId : undefined}
            onTheWay={onTheWayTo(column)}
            form={
              writingIn === column.id && (
                <NewCardForm
                  boardId={boardId}
                  column={column}
                  file={(card) => file(card, column)}
                  close={() => setWritingIn(undefined)}
                />
              )
            }
            empty={isEmpty && index === 0 && <FirstTicket board={board} columnId={column.id} />}
            setWriting={setWritingIn}
            loadNextPage={further}
            order={order}
            openMenu={openMenu}
          />
        ))}
        <AddColumn boardId={board.id} />
      </div>
      {selected.size > 0 && (
        <div className="@container pointer-events-none absolute inset-x-2 bottom-4 z-20">
          <SelectionBar board={board} selected={selected} change={change} clear={clear} />
        </div>
      )}
      <MenuOfCards ref={menu} board={moved} move={move} change={change} select={select} openCard={openCard} />
    </main>
  );
});
