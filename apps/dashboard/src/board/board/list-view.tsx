import type { BoardSearch, CardFilter } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from "react";
import type { LoadedBoard, LoadedColumn } from "../../api/patch-board.ts";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { useActedOn } from "./acted-on.ts";
import { useTopAfterFilter, useWantedCards } from "./board-column.tsx";
import { BoardHeader } from "./board-header.tsx";
import { Further } from "./further.tsx";
import { focusCard, ticketIdOf, useLaidOutCards, useShownBoard } from "./laid-out-cards.ts";
import { ListHead, ListOptions } from "./list-head.tsx";
import { cardsInOrder, groupKeyOf, loadFurtherCards } from "./list-query.ts";
import { ListRow } from "./list-row.tsx";
import { MenuOfCards, type OpenMenu } from "./menu-of-cards.tsx";
import { NewCardForm } from "./new-card.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useCardAddress } from "./use-card-address.ts";
import { useChangeCards } from "./use-change-cards.ts";
import { useMoves } from "./use-moves.ts";
import { stillOnTheWay, useNewCards } from "./use-new-cards.ts";
import { useSelection } from "./use-selection.ts";

/** The assumed height of a row before it is laid out, in pixels. */
const rowPx = 41;

/** A board as a sorted and grouped list. Supports everything that a board does with cards except moving them. */
export const ListView = memo(function ListView({
  board: loaded,
  search,
  filter,
  awaited,
  isCovered,
}: {
  board: LoadedBoard;
  search: BoardSearch;
  filter: CardFilter;
  /** Whether the list still shows the result of the previous filter or order. */
  awaited: boolean;
  isCovered: () => boolean;
}) {
  const { board: changed, change } = useChangeCards(loaded);
  const { board, move } = useMoves(changed);
  const { id: boardId, columns, list: { nextCursor = null, group, groups } = {} } = board;
  const cards = useMemo(() => cardsInOrder(board), [board]);
  // For keyboard navigation, all of its cards are one column.
  const shown = useMemo(() => ({ ...board, columns: [asColumn(boardId, cards)] }), [board, boardId, cards]);
  const { selected, select, clear, onKeyDown } = useSelection(shown);
  useShownBoard(shown);
  const { onTheWay, hidden, file } = useNewCards(loaded, filter);
  const coming = columns.flatMap((column) => stillOnTheWay(onTheWay, column));
  const [isWriting, setWriting] = useState(false);
  const write = () => setWriting(true);
  useActedOn({ board, selected, move, change, clear, write });
  const scrolled = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const menu = useRef<OpenMenu>(null);
  const openMenu: OpenMenu = useCallback((card, opened) => menu.current?.(card, opened), []);
  const { places, roomBelowPx } = useLaidOutCards(
    asColumn(boardId, cards),
    undefined,
    undefined,
    scrolled,
    table,
    rowPx,
  );
  useWantedCards({ id: boardId, cards }, scrolled);

  const queryClient = useQueryClient();
  const { searchText, openCard } = useCardAddress(boardId, search);
  useTopAfterFilter(searchText, scrolled);
  const goOn = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const index = step === 0 ? -1 : cards.findIndex(({ id }) => id === ticketIdOf(event.target));
    const next = index < 0 ? undefined : cards[index + step];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    focusCard(next.id);
  };
  const [first] = columns;
  const cardCount = columns.reduce((sum, column) => sum + column.cardCount, 0);
  const columnOf = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const groupOf = group && groupKeyOf[group];
  const countOf = (key: string) => (group === "column" ? columnOf.get(key)?.cardCount : groups?.get(key));
  const close = () => {
    setWriting(false);
    keepFocusAt("[aria-keyshortcuts=c]");
  };

  return (
    <main className="relative flex h-full flex-col">
      <BoardHeader board={loaded} search={search} hidden={hidden?.title} isCovered={isCovered} write={write} />
      <ListOptions boardId={boardId} search={search} cardCount={cardCount} />
      <p id="card-keys" className="sr-only">
        Press X to select the card.
      </p>
      <p id="card-selected" className="sr-only">
        Selected.
      </p>
      <p className="sr-only" aria-live="polite">
        {selected.size > 0 && `${selected.size} ${selected.size === 1 ? "card" : "cards"} selected`}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the cards inside */}
      <div
        ref={scrolled}
        data-list
        data-selecting={selected.size || undefined}
        onKeyDown={(event) => {
          if (!onKeyDown(event)) goOn(event);
        }}
        className="@container relative min-h-0 flex-1 scroll-pt-9 scroll-pb-20 overflow-y-auto pb-20 contain-paint"
      >
        {isWriting && first && (
          <div className="max-w-xl px-3 md:px-5">
            <NewCardForm boardId={boardId} column={first} file={(card) => file(card, first)} close={close} />
          </div>
        )}
        <table
          ref={table}
          aria-label={`Cards of ${board.name}`}
          aria-rowcount={cardCount + 1}
          aria-busy={awaited}
          className="block text-sm"
        >
          <ListHead search={search} />
          {coming.map(({ key, title }) => (
            <tbody key={key} aria-busy className="block">
              <tr className="flex h-10 items-center border-b border-line pl-14 text-muted">
                <td dir="auto" className="truncate">
                  {title}
                </td>
              </tr>
            </tbody>
          ))}
          {places.map(({ card, index, roomPx }) => {
            const [key, above] = [groupOf?.(card), cards[index - 1]];
            const isFirst = key !== undefined && (!above || groupOf?.(above) !== key);
            return (
              <ListRow
                key={card.id}
                card={card}
                index={index}
                roomPx={roomPx}
                group={isFirst ? group : undefined}
                groupCount={isFirst ? countOf(key) : undefined}
                column={columnOf.get(card.columnId)}
                searchText={searchText}
                selected={selected.has(card.id)}
                select={select}
                openCard={openCard}
                openMenu={openMenu}
              />
            );
          })}
          {roomBelowPx > 0 && <tbody aria-hidden className="block" style={{ height: roomBelowPx }} />}
        </table>
        {cards.length + coming.length === 0 && !isWriting && (
          <p className="px-4 py-6 text-muted md:px-6">
            {Object.keys(filter).length > 0 ? "No cards match the filter" : "No cards yet. Press C to write the first."}
          </p>
        )}
        {nextCursor !== null && (
          <Further
            key={nextCursor}
            list={scrolled}
            load={() => loadFurtherCards(queryClient, boardId, filter, search)}
          />
        )}
      </div>
      {selected.size > 0 && (
        <div className="@container pointer-events-none absolute inset-x-2 bottom-4 z-20">
          <SelectionBar board={board} selected={selected} change={change} clear={clear} />
        </div>
      )}
      <MenuOfCards ref={menu} board={board} move={move} change={change} select={select} openCard={openCard} />
    </main>
  );
});

const asColumn = (id: string, cards: LoadedColumn["cards"]): LoadedColumn => ({
  id,
  name: "",
  isDone: false,
  cards,
  cardCount: cards.length,
  nextCursor: null,
  bottom: null,
});
