import type { Board, Card, CardFilter } from "@lodge/contract/dashboard/boards";
import type { TicketEvent } from "@lodge/contract/dashboard/change";
import type { TicketState } from "@lodge/contract/dashboard/live-event";

/** What the stream tells of a ticket. */
export type Told = TicketEvent & TicketState;

type Place = Pick<Card, "position" | "id">;

/** A column with the cards that were loaded, all of those down to `bottom`; null where that is all of them. */
export type LoadedColumn = Board["columns"][number] & { bottom: Place | null };
/** A board as far as it is loaded. */
export type LoadedBoard = Omit<Board, "columns"> & { columns: LoadedColumn[] };

/** A column as it came from the server. */
export const loadedColumn = (column: Board["columns"][number]): LoadedColumn => ({
  ...column,
  bottom: column.nextCursor === null ? null : (column.cards.at(-1) ?? null),
});

/** The column with the cards below those that are loaded. */
export function withFurther(column: LoadedColumn, page: Pick<LoadedColumn, "cards" | "cardCount" | "nextCursor">) {
  const known = new Set(column.cards.map(({ id }) => id));
  const cards = [...column.cards, ...page.cards.filter(({ id }) => !known.has(id))];
  return { ...loadedColumn({ ...column, ...page }), cards };
}

/**
 * The board after what was told of a ticket, the same board where it shows none of it. Undefined where only the server
 * knows what it shows now: a text is looked for in descriptions too, which are not told, and of a filtered column it may
 * not be known whether it counted the card.
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
    if (card && isTarget && (!column.bottom || isAbove(card, column.bottom) || isAt(card, column.bottom))) {
      const below = cards.findIndex((other) => isAbove(card, other));
      cards.splice(below < 0 ? cards.length : below, 0, card);
    }
    return { ...column, cards, cardCount };
  });
  if (!known) return undefined;
  return columns.every((column, index) => column === board.columns[index]) ? board : { ...board, columns };
}

const mayHaveLeft = (columnId: string, told: Told) =>
  told.kind !== "ticket.filed" &&
  (told.columnId === columnId || ("fromColumnId" in told && told.fromColumnId === columnId));

const isAbove = (card: Place, other: Place) =>
  card.position === other.position ? card.id > other.id : card.position > other.position;
const isAt = (card: Place, other: Place) => card.id === other.id && card.position === other.position;

/** Whether a card passes a filter, but for its text. */
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
