import type { Card } from "@lodge/contract/dashboard/boards";
import { type LoadedBoard as Board, type LoadedColumn, placeAmong } from "../../api/patch-board.ts";

/** The target of a move: directly below another card, or the top of a column. */
export type Place = { columnId: string; belowTicketId: string | null };

/** The move of a card. */
export type Move = Place & { ticketId: string };

/** The mutation scope that sends changes of cards one at a time, in the order in which they were made. */
export const inOrder = { id: "change-cards" };

/** Whether a column is sorted automatically, so that its cards have no manual order. */
export const isSorted = ({ sort, isAbove }: LoadedColumn) => sort !== undefined || isAbove !== undefined;

/** The column of a card, and its index from the top. Undefined if the card is not shown. */
export function findCard(board: Board, ticketId: string) {
  for (const column of board.columns) {
    const index = column.cards.findIndex((card) => card.id === ticketId);
    const card = column.cards[index];
    if (card) return { column, index, card };
  }
  return undefined;
}

/** The board after a move. */
export function moveCard(board: Board, { ticketId, columnId, belowTicketId }: Move): Board {
  const others = cardsOf(board, columnId).filter(({ id }) => id !== ticketId);
  return placeCard(board, ticketId, columnId, others.findIndex(({ id }) => id === belowTicketId) + 1);
}

/** The board after several cards moved together to a place, in their order. */
export const moveCards = (board: Board, ticketIds: readonly string[], place: Place): Board =>
  // Last card first, so that the first one ends up on top.
  ticketIds.reduceRight((before, ticketId) => moveCard(before, { ticketId, ...place }), board);

/** The board with the card at an index of a column, counted without the card itself. */
function placeCard(board: Board, ticketId: string, columnId: string, index: number): Board {
  const found = findCard(board, ticketId);
  if (!found || !board.columns.some(({ id }) => id === columnId)) return board;
  const isElsewhere = columnId !== found.column.id;
  const moved: Card = { ...found.card, columnId, ...(isElsewhere && { updatedAt: new Date().toISOString() }) };
  return {
    ...board,
    columns: board.columns.map((column) => {
      if (column.id !== found.column.id && column.id !== columnId) return column;
      const cards = column.cards.filter(({ id }) => id !== ticketId);
      let { cardCount } = column;
      if (column.id === found.column.id) cardCount--;
      if (column.id === columnId) {
        cards.splice(isSorted(column) ? placeAmong(cards, moved, column) : index, 0, moved);
        cardCount++;
      }
      return { ...column, cards, cardCount };
    }),
  };
}

/** The move that takes a card to an index of a column, counted without the card itself. */
export function moveTo(board: Board, ticketId: string, columnId: string, index: number): Move {
  const others = cardsOf(board, columnId).filter(({ id }) => id !== ticketId);
  return { ticketId, columnId, belowTicketId: others[Math.min(index, others.length) - 1]?.id ?? null };
}

/** Whether a move would change nothing. Every move within a sorted column changes nothing. */
export function isHere(board: Board, { ticketId, columnId, belowTicketId }: Move): boolean {
  const found = findCard(board, ticketId);
  if (found?.column.sort) return found.column.id === columnId;
  return found?.column.id === columnId && (found.column.cards[found.index - 1]?.id ?? null) === belowTicketId;
}

const cardsOf = (board: Board, columnId: string): Card[] =>
  board.columns.find(({ id }) => id === columnId)?.cards ?? [];
