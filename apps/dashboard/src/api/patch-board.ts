import type { Board, Card, CardFilter, CardSort, ListGroup } from "@lodge/contract/dashboard/boards";
import type { TicketEvent } from "@lodge/contract/dashboard/change";
import type { TicketState } from "@lodge/contract/dashboard/live-event";

/** A ticket event from the stream. */
export type Told = TicketEvent & TicketState;

/**
 * A column with its loaded cards: all cards down to `bottom`, which is null if all are loaded. The order is the one
 * that the person chose, or that of a list (`isAbove`), or else by position.
 */
export type LoadedColumn = Board["columns"][number] & { bottom: Card | null } & Order;
type Order = { sort?: CardSort | undefined; isAbove?: (card: Card, other: Card) => boolean };
/** The loaded part of a board. */
export type LoadedBoard = Omit<Board, "columns"> & { columns: LoadedColumn[]; list?: LoadedList };
/** The state of a board that is shown as a list. */
export type LoadedList = {
  nextCursor: string | null;
  group: ListGroup | undefined;
  /** The number of cards in each group. */
  groups?: ReadonlyMap<string, number> | undefined;
  /**
   * The board after an event. `before` and `after` are its card, if loaded and shown. Undefined if only the server
   * knows.
   */
  regroup: (
    board: LoadedBoard,
    before: Card | undefined,
    after: Card | undefined,
    told: Told,
  ) => LoadedBoard | undefined;
};

/** A column as the server sent it. */
export const loadedColumn = (column: Board["columns"][number], sort?: CardSort): LoadedColumn => ({
  ...column,
  sort,
  bottom: column.nextCursor === null ? null : (column.cards.at(-1) ?? null),
});

/** The column with the next page of cards appended. */
export function withNextPage(column: LoadedColumn, page: Pick<LoadedColumn, "cards" | "cardCount" | "nextCursor">) {
  const known = new Set(column.cards.map(({ id }) => id));
  const cards = [...column.cards, ...page.cards.filter(({ id }) => !known.has(id))];
  return { ...loadedColumn({ ...column, ...page }, column.sort), cards };
}

/** A fully loaded column in another order. */
export const sorted = (column: LoadedColumn, sort: CardSort | undefined): LoadedColumn => ({
  ...column,
  sort,
  cards: column.cards.toSorted((card, other) => (isAbove(card, other, { sort }) ? -1 : 1)),
});

/** The index of a card in a sorted column. */
export function placeAmong(cards: readonly Card[], card: Card, order: Order): number {
  const below = cards.findIndex((other) => isAbove(card, other, order));
  return below < 0 ? cards.length : below;
}

/**
 * The board after an event of a ticket; the same board if nothing it shows has changed. Undefined if only the server
 * knows the result: text filters also search descriptions, which events do not contain, and it may be unknown
 * whether the count of a filtered column included the card.
 */
export function patchBoard(board: LoadedBoard, filter: CardFilter, told: Told): LoadedBoard | undefined {
  const { ticketId, card } = told;
  const on = card && board.columns.find(({ id }) => id === card.columnId);
  const from = board.columns.find(({ cards }) => cards.some(({ id }) => id === ticketId));
  const filtered = Object.keys(filter).length > 0;
  if (filter.text && (on || from)) return undefined;
  const target = card && passes(card, filter) ? on : undefined;
  let known = true;
  const columns = board.columns.map((column) => {
    const isTarget = column === target;
    const counted = filtered ? undefined : told.columns.find(({ id }) => id === column.id)?.cardCount;
    let { cardCount } = column;
    if (counted !== undefined) cardCount = counted;
    else if (column === from && !isTarget) cardCount--;
    else if (column !== from && isTarget) {
      cardCount++;
      if (filtered && column.bottom && told.kind !== "ticket.filed") known = false;
    } else if (filtered && column !== from && column.bottom && mayHaveLeft(column.id, told)) known = false;
    if (column !== from && !isTarget) return cardCount === column.cardCount ? column : { ...column, cardCount };
    const cards = column.cards.filter(({ id }) => id !== ticketId);
    const { bottom } = column;
    if (card && isTarget && (!bottom || isAbove(card, bottom, column) || isAt(card, bottom, column))) {
      cards.splice(placeAmong(cards, card, column), 0, card);
    }
    return { ...column, cards, cardCount };
  });
  if (!known) return undefined;
  const next = columns.every((column, index) => column === board.columns[index]) ? board : { ...board, columns };
  const before = from?.cards.find(({ id }) => id === ticketId);
  return board.list ? board.list.regroup(next, before, (target && card) ?? undefined, told) : next;
}

/** Whether a card that is not loaded may have left a column. */
export const mayHaveLeft = (columnId: string, told: Told) =>
  told.kind !== "ticket.filed" &&
  (told.columnId === columnId || ("fromColumnId" in told && told.fromColumnId === columnId));

const ranks = { none: 0, low: 1, medium: 2, high: 3 };

/** The sort keys of a column. The greatest is on top; ids break ties. */
const keysOf: Record<CardSort | "position", (card: Card) => readonly (string | number)[]> = {
  position: ({ position }) => [position],
  priority: ({ priority, updatedAt }) => [ranks[priority], updatedAt],
  dueAt: ({ dueAt, createdAt }) => (dueAt === null ? [0, createdAt] : [1, -Date.parse(dueAt)]),
  createdAt: ({ createdAt }) => [createdAt],
};

function isAbove(card: Card, other: Card, { sort, isAbove: isAboveInList }: Order): boolean {
  if (isAboveInList) return isAboveInList(card, other);
  const keys = keysOf[sort ?? "position"];
  const [mine, theirs] = [keys(card), keys(other)];
  const at = mine.findIndex((key, index) => key !== theirs[index]);
  const [key = card.id, otherKey = other.id] = [mine[at], theirs[at]];
  // On the same day, the earlier id is first, as on the server.
  return at < 0 && sort === "dueAt" && card.dueAt !== null ? card.id < other.id : key > otherKey;
}

const isAt = (card: Card, other: Card, order: Order) =>
  card.id === other.id && !isAbove(card, other, order) && !isAbove(other, card, order);

/** Whether a card passes a filter, ignoring the text filter. */
export const passes = (
  { assignee, priority, labels, author, dueAt, createdAt, doneAt }: Card,
  filter: CardFilter,
): boolean =>
  (!filter.assignee || (assignee?.id ?? "none") === filter.assignee) &&
  (!filter.priority || priority === filter.priority) &&
  (!filter.label || labels.includes(filter.label)) &&
  (!filter.author || author.kind === filter.author || author.id === filter.author) &&
  (!filter.dueFrom || (dueAt !== null && dueAt >= filter.dueFrom)) &&
  (!filter.dueUntil || (dueAt !== null && dueAt <= filter.dueUntil)) &&
  (!filter.createdFrom || createdAt >= filter.createdFrom) &&
  (!filter.open || doneAt === null);
