import { changeColumn } from "@lodge/contract/calls.generated";
import type { Card, CardSort } from "@lodge/contract/dashboard/boards";
import { ArrowDownWideNarrow, ChevronsRightLeft, CircleCheck, Plus } from "lucide-react";
import { type ComponentProps, Fragment, lazy, memo, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { chooseForColumn, sortNames, useCollapsed } from "../../api/column-choices.ts";
import { keepLoading } from "../../api/keep-loading.ts";
import type { LoadedColumn } from "../../api/patch-board.ts";
import { wantCards } from "../../api/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { MenuItem, MenuLine } from "../../ui/menu.tsx";
import type { Opened } from "../../ui/popup.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import { OrderedActions } from "../ordered-actions.tsx";
import type { NewCard } from "../send-later.ts";
import { BoardCard } from "./board-card.tsx";
import { CollapsedColumn } from "./collapsed-column.tsx";
import { Further } from "./further.tsx";
import { useLaidOutCards } from "./laid-out-cards.ts";
import { newCardButtonId } from "./new-card.tsx";
import { SortItems } from "./sort-items.tsx";
import { useColumnDrop } from "./use-column-drop.ts";
import type { Select } from "./use-selection.ts";

const DeleteColumnDialog = lazy(() =>
  keepLoading(() => import("./delete-column-dialog.tsx")).then((dialog) => ({ default: dialog.DeleteColumnDialog })),
);

/** A column of a board, with its cards or collapsed to its name. */
export const BoardColumn = memo(function BoardColumn(props: ComponentProps<typeof OpenColumn>) {
  const { column, form, onTheWay } = props;
  const collapsed = useCollapsed(column.id);
  if (!collapsed || form) return <OpenColumn {...props} />;
  return <CollapsedColumn column={column} cardCount={column.cardCount + onTheWay.length} />;
});

/** A column with its cards, topmost first. More load as it is scrolled. */
function OpenColumn({
  projectId,
  boardId,
  column,
  index,
  count,
  filtered,
  searchText,
  carriedId,
  extraId,
  selectedIds,
  select,
  openCard,
  onTheWay,
  form,
  empty,
  setWriting,
  loadNextPage,
  order,
  openMenu,
}: {
  projectId: string;
  boardId: string;
  column: LoadedColumn;
  index: number;
  /** The number of columns of the board. */
  count: number;
  filtered: boolean;
  searchText: string;
  carriedId: string | undefined;
  extraId: string | undefined;
  /** The ids of its selected cards, separated by spaces, so that equal selections compare equal. */
  selectedIds: string;
  select: Select;
  openCard: (ticketId: string) => void;
  /** New cards of the column that are not saved yet. */
  onTheWay: readonly NewCard[];
  /** The new-card form, if it is open here. */
  form: ReactNode;
  /** Shown if the column has no cards. */
  empty: ReactNode;
  setWriting: (columnId: string) => void;
  loadNextPage: (columnId: string) => Promise<void>;
  /** Sorts the column in an order. */
  order: (columnId: string) => Promise<void>;
  openMenu: (card: Card, opened: Opened) => void;
}) {
  const { area, list, over } = useColumnDrop(column.id);
  const selected = new Set(selectedIds.split(" "));
  const items = useRef<HTMLUListElement>(null);
  const { places, roomBelowPx } = useLaidOutCards(column, carriedId, extraId, list, items);
  useWantedCards(column, list);
  useTopAfterFilter(searchText, list);
  return (
    <section
      ref={area}
      aria-labelledby={`column-${column.id}`}
      className={`flex max-h-full w-[min(17rem,calc(100vw-3rem))] shrink-0 snap-start flex-col rounded-xl transition-colors duration-100 ${
        over ? "bg-accent-soft" : "bg-sunken"
      }`}
    >
      <div className="flex h-11 shrink-0 items-center gap-2 pr-1.5 pl-3">
        {column.isDone && <CircleCheck aria-hidden className="-mr-1 size-4 shrink-0 text-accent-ink" />}
        <h2 id={`column-${column.id}`} dir="auto" className="truncate text-sm font-semibold">
          {column.name}
        </h2>
        {column.sort && (
          <ArrowDownWideNarrow
            aria-label={`Sorted: ${sortNames[column.sort]}`}
            className="size-3.5 shrink-0 text-muted"
          />
        )}
        <span className="text-sm text-muted tabular-nums">
          {column.cardCount + onTheWay.length}
          <span className="sr-only">{column.cardCount + onTheWay.length === 1 ? " card" : " cards"}</span>
        </span>
        <ColumnActions
          projectId={projectId}
          boardId={boardId}
          columnId={column.id}
          name={column.name}
          isDone={column.isDone}
          sort={column.sort}
          order={order}
          index={index}
          count={count}
          setWriting={setWriting}
        />
      </div>
      {/* Its own paint containment, so that changes in other columns do not repaint it. */}
      {/* Space for the selection bar below the last card: adding it only on selection would lay out every column again. */}
      <div ref={list} className="relative min-h-0 flex-1 overflow-y-auto px-1 pb-20 contain-paint">
        {form}
        {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
        <ul ref={items} role="list" className="flex min-h-8 flex-col">
          {onTheWay.map(({ key, title }) => (
            <li key={key} aria-busy className="p-1">
              <p
                dir="auto"
                className="line-clamp-3 rounded-lg border border-line bg-surface px-3 py-2.5 pr-9 leading-5 wrap-anywhere text-muted shadow-card"
              >
                {title}
              </p>
            </li>
          ))}
          {places.map(({ card, index: place, roomPx }) => (
            <Fragment key={card.id}>
              {roomPx > 0 && <li aria-hidden style={{ height: roomPx }} className="shrink-0" />}
              <BoardCard
                place={place + 1}
                count={column.cardCount}
                card={card}
                searchText={searchText}
                carried={card.id === carriedId}
                selected={selected.has(card.id)}
                select={select}
                openCard={openCard}
                openMenu={openMenu}
              />
            </Fragment>
          ))}
          {roomBelowPx > 0 && <li aria-hidden style={{ height: roomBelowPx }} className="shrink-0" />}
        </ul>
        {column.cards.length + onTheWay.length === 0 &&
          !form &&
          (empty || (
            <p className="-mt-7 px-2 text-sm text-muted">{filtered ? "No cards match the filter" : "No cards"}</p>
          ))}
        {column.nextCursor !== null && (
          <Further key={column.nextCursor} list={list} load={() => loadNextPage(column.id)} />
        )}
      </div>
    </section>
  );
}

/** The menu of a column. Separate, so that it is not rendered when cards change. */
const ColumnActions = memo(function ColumnActions({
  projectId,
  boardId,
  columnId,
  name,
  isDone,
  sort,
  order,
  index,
  count,
  setWriting,
}: {
  projectId: string;
  boardId: string;
  columnId: string;
  name: string;
  isDone: boolean;
  sort: CardSort | undefined;
  order: (columnId: string) => Promise<void>;
  index: number;
  /** The number of columns of the board. */
  count: number;
  setWriting: (columnId: string) => void;
}) {
  return (
    <div className="ml-auto flex">
      <IconButton
        id={newCardButtonId(columnId)}
        label={`New card in ${name}`}
        className="size-7"
        onClick={() => setWriting(columnId)}
      >
        <Plus aria-hidden className="size-4" />
      </IconButton>
      <OrderedActions
        what="column"
        name={name}
        change={(body) => call(changeColumn, { params: { columnId }, body })}
        index={index}
        count={count}
        ids={{ projectId, boardId, columnId }}
        deletion={{
          ask: (close) => <DeleteColumnDialog boardId={boardId} columnId={columnId} name={name} close={close} />,
        }}
        className="size-7"
      >
        <MenuItem onClick={() => void switchDone(columnId, name, isDone)}>
          <CircleCheck aria-hidden className="size-4" />
          {isDone ? "Stop using as done column" : "Use as done column"}
        </MenuItem>
        <MenuItem onClick={() => chooseForColumn(columnId, { collapsed: true })}>
          <ChevronsRightLeft aria-hidden className="size-4" />
          Collapse
        </MenuItem>
        <MenuLine />
        <SortItems columnId={columnId} sort={sort} order={order} />
        <MenuLine />
      </OrderedActions>
    </div>
  );
});

/** Sets or clears the done column of a board. */
async function switchDone(columnId: string, name: string, isDone: boolean) {
  try {
    await call(changeColumn, { params: { columnId }, body: { isDone: !isDone } });
    await fetchAfter({ kind: "projects.changed" });
  } catch (error) {
    tellFailed(`“${name}” was not changed`, error);
  }
}

/** Reports how many cards of the column are above the lower edge of its visible part. */
export function useWantedCards({ id, cards }: Pick<LoadedColumn, "id" | "cards">, list: RefObject<HTMLElement | null>) {
  const loaded = useRef(0);
  useEffect(() => {
    loaded.current = cards.length;
  });
  useEffect(
    () =>
      wantCards(id, () => {
        if (!list.current || list.current.scrollTop === 0) return 0;
        const { scrollTop, clientHeight, scrollHeight } = list.current;
        return Math.ceil((loaded.current * (scrollTop + clientHeight)) / scrollHeight);
      }),
    [id, list],
  );
}

/** Scrolls a column to the top when the board's filter changes. */
export function useTopAfterFilter(searchText: string, list: RefObject<HTMLElement | null>) {
  const shownFor = useRef(searchText);
  useEffect(() => {
    if (shownFor.current === searchText) return;
    shownFor.current = searchText;
    list.current?.scrollTo({ top: 0 });
  }, [searchText, list]);
}
