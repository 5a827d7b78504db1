import type { CallAnswer } from "@lodge/contract/call";
import { listBoardCards, viewBoard } from "@lodge/contract/calls.generated";
import type { BoardSearch, Card, CardFilter, ListGroup, ListSort } from "@lodge/contract/dashboard/boards";
import { type QueryClient, type QueryKey, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type LoadedBoard, type LoadedList, mayHaveLeft } from "../../api/patch-board.ts";
import { wantedCards } from "../../api/queries.ts";
import { keyOf, staleTimeWhileLive } from "../../api/query.ts";
import { toldSoFar, withToldSince } from "../../api/told.ts";

/** The order and grouping of a list. */
type ListOrder = { sort: ListSort; group?: ListGroup };

/** The order of a list whose URL has none. */
export const defaultSort: ListSort = "createdAt";

const orderOf = ({ sort = defaultSort, group }: BoardSearch): ListOrder => ({ sort, ...(group && { group }) });

/**
 * The loaded part of a board as a list. `loadFurtherCards` loads more. Its query key is that of a board, so that live
 * events apply to it.
 */
export const listQuery = (boardId: string, filter: CardFilter, search: BoardSearch) => {
  const order = orderOf(search);
  const queryKey: QueryKey = [...keyOf(viewBoard, { params: { boardId }, query: filter }), order];
  return queryOptions({
    queryKey,
    queryFn: async (): Promise<LoadedBoard> => {
      const then = toldSoFar();
      const [board, page] = await Promise.all([
        call(viewBoard, { params: { boardId }, query: { ...filter, cards: "none" } }),
        readPage(boardId, filter, order),
      ]);
      let loaded = toList(board, order, page);
      while (loaded.list?.nextCursor && cardCountOf(loaded) < wantedCards(boardId)) {
        loaded = withPage(loaded, await readPage(boardId, filter, order, loaded.list.nextCursor));
      }
      return withToldSince(then, loaded, filter);
    },
    staleTime: staleTimeWhileLive,
  });
};

type Page = CallAnswer<typeof listBoardCards>;

const readPage = (boardId: string, filter: CardFilter, order: ListOrder, cursor?: string): Promise<Page> =>
  call(listBoardCards, { params: { boardId }, query: { ...filter, ...order, ...(cursor && { cursor }) } });

/** Loads the next page of cards of a list. */
export async function loadFurtherCards(
  queryClient: QueryClient,
  boardId: string,
  filter: CardFilter,
  search: BoardSearch,
) {
  const { queryKey } = listQuery(boardId, filter, search);
  const cursor = queryClient.getQueryData(queryKey)?.list?.nextCursor;
  if (!cursor) return;
  const then = toldSoFar();
  const page = await readPage(boardId, filter, orderOf(search), cursor);
  queryClient.setQueryData(queryKey, (board) => {
    if (board?.list?.nextCursor !== cursor) return board; // refetched meanwhile
    return withToldSince(then, withPage(board, page), filter);
  });
}

const cardCountOf = ({ columns }: LoadedBoard) => columns.reduce((sum, { cards }) => sum + cards.length, 0);

function toList(board: CallAnswer<typeof viewBoard>, order: ListOrder, page: Page): LoadedBoard {
  const compare = compareIn(
    order,
    board.columns.map(({ id }) => id),
  );
  const isAbove = (card: Card, other: Card) => compare(card, other) < 0;
  const columns = board.columns.map((column) => ({ ...column, bottom: null, isAbove }));
  const groups = page.groups && new Map(page.groups.map(({ key, cardCount }) => [key, cardCount]));
  const { group } = order;
  return withPage({ ...board, columns, list: { nextCursor: null, group, groups, regroup } }, page);
}

/** The list with another page: each column gets its cards of the page, and all columns end where the page ends. */
function withPage(board: LoadedBoard, { cards, nextCursor }: Page): LoadedBoard {
  const known = new Set(board.columns.flatMap((column) => column.cards.map(({ id }) => id)));
  const further = Map.groupBy(cards, ({ columnId }) => columnId);
  const bottom = (nextCursor !== null && cards.at(-1)) || null;
  const columns = board.columns.map((column) => {
    const added = (further.get(column.id) ?? []).filter(({ id }) => !known.has(id));
    return { ...column, cards: [...column.cards, ...added], bottom };
  });
  return { ...board, columns, ...(board.list && { list: { ...board.list, nextCursor } }) };
}

/** The loaded cards of a list, in its order. */
export function cardsInOrder({ columns }: LoadedBoard): Card[] {
  const isAbove = columns[0]?.isAbove;
  const cards = columns.flatMap((column) => column.cards);
  return isAbove ? cards.sort((card, other) => (isAbove(card, other) ? -1 : 1)) : cards;
}

/** The key of a card's group. */
export const groupKeyOf: Record<ListGroup, (card: Card) => string> = {
  column: ({ columnId }) => columnId,
  priority: ({ priority }) => priority,
  assignee: ({ assignee }) => assignee?.id ?? "",
  label: ({ labels }) => labels[0] ?? "",
  author: ({ author }) => `${author.name}|${author.id ?? ""}`,
};

/**
 * Updates the counts of the groups after an event. Undefined if the card was not loaded, since it may have been in any
 * group.
 */
const regroup: LoadedList["regroup"] = (board, before, after, told) => {
  const { list } = board;
  if (!list?.group || !list.groups) return board;
  const isUnknown = !before && told.kind !== "ticket.filed" && list.nextCursor !== null;
  if (isUnknown && (after || board.columns.some(({ id }) => mayHaveLeft(id, told)))) return undefined;
  const groupOf = groupKeyOf[list.group];
  const [from, to] = [before && groupOf(before), after && groupOf(after)];
  if (from === to) return board;
  const groups = new Map(list.groups);
  if (from !== undefined) groups.set(from, (groups.get(from) ?? 0) - 1);
  if (to !== undefined) groups.set(to, (groups.get(to) ?? 0) + 1);
  return { ...board, list: { ...list, groups } };
};

type Compare = (card: Card, other: Card) => number;
type KeyOf = (card: Card) => string | number | boolean;

const ranks = ["high", "medium", "low", "none"];
const up =
  (key: KeyOf): Compare =>
  (card, other) => {
    const [mine, theirs] = [key(card), key(other)];
    return mine < theirs ? -1 : mine > theirs ? 1 : 0;
  };
const down =
  (key: KeyOf): Compare =>
  (card, other) =>
    up(key)(other, card);
const rank: KeyOf = ({ priority }) => ranks.indexOf(priority);

/** The order of cards in a list, as on the server. */
function compareIn({ sort, group }: ListOrder, columnIds: readonly string[]): Compare {
  const byColumn = up(({ columnId }) => columnIds.indexOf(columnId));
  const byId = down(({ id }) => id);
  const groups: Record<ListGroup, Compare[]> = {
    column: [byColumn],
    priority: [up(rank)],
    assignee: [
      up(({ assignee }) => assignee === null),
      up(({ assignee }) => assignee?.name.toLowerCase() ?? ""),
      up(({ assignee }) => assignee?.id ?? ""),
    ],
    label: [
      up(({ labels }) => labels.length === 0),
      up(({ labels }) => labels[0]?.toLowerCase() ?? ""),
      up(({ labels }) => labels[0] ?? ""),
    ],
    author: [
      up(({ author }) => author.name.toLowerCase()),
      up(({ author }) => author.name),
      up(({ author }) => author.id ?? ""),
    ],
  };
  const sorts: Record<ListSort, Compare[]> = {
    createdAt: [down(({ createdAt }) => createdAt)],
    updatedAt: [down(({ updatedAt }) => updatedAt)],
    priority: [up(rank), down(({ updatedAt }) => updatedAt)],
    dueAt: [
      up(({ dueAt }) => dueAt ?? "~"), // cards without a date come last
      down(({ dueAt, createdAt }) => (dueAt === null ? createdAt : "")),
      up(({ dueAt, id }) => (dueAt === null ? "" : id)),
    ],
    position: [byColumn, down(({ position }) => position)],
  };
  const all = [...(group ? groups[group] : []), ...sorts[sort], byId];
  return (card, other) => {
    for (const compare of all) {
      const order = compare(card, other);
      if (order !== 0) return order;
    }
    return 0;
  };
}
