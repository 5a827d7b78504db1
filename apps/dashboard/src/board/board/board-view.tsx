import type { BoardSearch, Card, CardFilter } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import {
  type ComponentProps,
  memo,
  type Ref,
  useCallback,
  useDeferredValue,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import type { LoadedBoard, LoadedColumn } from "../../api/patch-board.ts";
import { loadFurther } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { useHeadingFocus } from "../../ui/page-heading.tsx";
import type { Opened } from "../../ui/popup.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import type { NewCard } from "../send-later.ts";
import { DeleteCards } from "../ticket/delete-cards.tsx";
import { useActedOn } from "./acted-on.ts";
import { AddColumn } from "./add-column.tsx";
import { BoardColumn } from "./board-column.tsx";
import { ActiveFilters, BoardFilters } from "./board-filters.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { ViewTabs } from "./board-views.tsx";
import { CardMenu } from "./card-menu.tsx";
import { FavouriteButton } from "./favourite-button.tsx";
import { FirstTicket } from "./first-ticket.tsx";
import { keepFocusNear, useShownBoard } from "./laid-out-cards.ts";
import type { Place } from "./move-card.ts";
import { NewCardForm } from "./new-card.tsx";
import { orderColumn } from "./order-column.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { useCarry } from "./use-carry.ts";
import { useChangeCards } from "./use-change-cards.ts";
import { useDrops } from "./use-drops.ts";
import { useMoves } from "./use-moves.ts";
import { stillOnTheWay, useNewCards } from "./use-new-cards.ts";
import { useSelection } from "./use-selection.ts";

const none: readonly NewCard[] = [];

/** A board: its filters, its columns, and every way to move a card. */
export const BoardView = memo(function BoardView({
  board: loaded,
  search,
  filter,
  awaited,
  isCovered,
}: {
  board: LoadedBoard;
  search: BoardSearch;
  /** The filter in the address. */
  filter: CardFilter;
  /** Whether the board is still as the filter before has it. */
  awaited: boolean;
  /** Whether a card lies open over it. Not its value: to open one renders no board. */
  isCovered: () => boolean;
}) {
  const { board: changed, change } = useChangeCards(loaded);
  const { board: moved, move } = useMoves(changed);
  const selection = useSelection(moved);
  const { selected, select, clear } = selection;
  // That every card can be selected shows a frame later than which one is: it paints the whole board.
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
  // That it is one more than the cards that are seen shows a frame later than that it was picked up.
  const extraId = useDeferredValue(carriedId);
  useShownBoard(board);
  const { onTheWay, hidden, file } = useNewCards(loaded, filter);
  const columns = useRef<HTMLDivElement>(null);
  const heading = useHeadingFocus(isCovered);
  const [writingIn, setWritingIn] = useState<string>();
  const write = () => setWritingIn(board.columns[0]?.id);
  useActedOn({ board: moved, selected, move, change, clear, write });
  const menu = useRef<OpenMenu>(null);
  const queryClient = useQueryClient();
  const { id: boardId } = board;
  const further = useCallback(
    (columnId: string) => loadFurther(queryClient, boardId, filter, columnId),
    [queryClient, boardId, filter],
  );
  const order = useCallback(
    (columnId: string) => orderColumn(queryClient, boardId, filter, columnId),
    [queryClient, boardId, filter],
  );
  const openMenu: OpenMenu = useCallback((card, opened) => menu.current?.(card, opened), []);
  useDrops(columns, moved, selected, move, moveAll);

  const navigate = useNavigate();
  const router = useRouter();
  const searchText = useMemo(
    () => router.buildLocation({ to: "/boards/$boardId", params: { boardId }, search }).searchStr,
    [router, boardId, search],
  );
  const openCard = useCallback(
    (ticketId: string) => void navigate({ to: "/tickets/$ticketId", params: { ticketId }, search }),
    [navigate, search],
  );
  const filtered = awaited || Object.keys(search).length > 0;
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
      {/* Above the columns, so that the browser finds what is pressed here before it has looked through every card. */}
      <div className="@container relative z-10 flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 md:px-6">
        <h1 ref={heading} tabIndex={-1} className="flex min-w-0 grow items-baseline gap-2 text-md font-semibold">
          <span dir="auto" className="truncate">
            {board.name}
          </span>
          <span className="truncate text-sm font-normal text-muted">{board.project.name}</span>
        </h1>
        <FavouriteButton boardId={boardId} />
        <BoardFilters search={search} />
        <Button look="primary" title="New card (C)" aria-keyshortcuts="c" onClick={write}>
          <Plus aria-hidden className="size-4" />
          <span className="@max-2xl:sr-only">New card</span>
          <kbd aria-hidden className="font-sans text-xs font-normal @max-2xl:hidden">
            C
          </kbd>
        </Button>
        <BoardMenu board={loaded} search={search} />
        <div className="order-last flex w-full min-w-0 flex-col gap-2 empty:hidden">
          <ViewTabs boardId={boardId} search={search} />
          <ActiveFilters boardId={boardId} search={search} />
        </div>
      </div>
      <div role="status">
        {hidden && (
          <p className="flex flex-wrap items-center justify-center gap-x-2 border-b border-line bg-sunken px-4 py-1.5 text-sm">
            <span className="min-w-0 truncate">“{hidden.title}” was added. The filter hides it.</span>
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
        Press Space to pick up the card, then move it with the arrow keys. Press X to select it.
      </p>
      <p id="card-selected" className="sr-only">
        Selected.
      </p>
      <p className="sr-only" aria-live="polite">
        {selected.size > 0 && `${selected.size} ${selected.size === 1 ? "card" : "cards"} selected`}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are for the cards in it */}
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
            loadFurther={further}
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

type OpenMenu = (card: Card, opened: Opened) => void;

/** The menu of whichever card it was opened for; it knows that alone, so that no board is rendered for it. */
function MenuOfCards({
  ref,
  ...menu
}: Omit<ComponentProps<typeof CardMenu>, "card" | "opened" | "remove" | "close"> & { ref: Ref<OpenMenu> }) {
  const [shown, setShown] = useState<{ card: Card; opened: Opened }>();
  const [deleting, setDeleting] = useState<Card>();
  useImperativeHandle(ref, () => (card, opened) => setShown({ card, opened }), []);
  return (
    <>
      {shown && (
        <CardMenu {...menu} {...shown} remove={() => setDeleting(shown.card)} close={() => setShown(undefined)} />
      )}
      {deleting && (
        <DeleteCards
          boardId={menu.board.id}
          cards={[deleting]}
          focus={keepFocusNear}
          close={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
