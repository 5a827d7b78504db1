import type { Card } from "@lodge/contract/dashboard/boards";
import { type LoadedBoard as Board, type LoadedColumn, placeAmong } from "../../api/patch-board.ts";

/** Where cards come to lie: directly below another one, or on top of a column. */
export type Place = { columnId: string; belowTicketId: string | null };

/** A card on its way. */
export type Move = Place & { ticketId: string };

/** Changes of cards are sent one after the other, in the order in which people made them. */
export const inOrder = { id: "change-cards" };

/** Whether the order of a column's cards is not the one that people give them. */
export const isSorted = ({ sort, isAbove }: LoadedColumn) => sort !== undefined || isAbove !== undefined;

/** The column of a board that a card lies in, and its place from the top; undefined where it is not shown. */
export function findCard(board: Board, ticketId: string) {
  for (const column of board.columns) {
    const index = column.cards.findIndex((card) => card.id === ticketId);
    const card = column.cards[index];
    if (card) return { column, index, card };
  }
  return undefined;
}

/** The board as it is once the card lies where the move takes it. */
export function moveCard(board: Board, { ticketId, columnId, belowTicketId }: Move): Board {
  const others = cardsOf(board, columnId).filter(({ id }) => id !== ticketId);
  return placeCard(board, ticketId, columnId, others.findIndex(({ id }) => id === belowTicketId) + 1);
}

/** The board as it is once several cards lie together at a place, in their order. */
export const moveCards = (board: Board, ticketIds: readonly string[], place: Place): Board =>
  // From the last on, so that the first comes to lie topmost.
  ticketIds.reduceRight((before, ticketId) => moveCard(before, { ticketId, ...place }), board);

/** The board with the card at a place of a column, counted from the top without the card itself. */
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

/** The move that brings a card to a place of a column, counted from the top without the card itself. */
export function moveTo(board: Board, ticketId: string, columnId: string, index: number): Move {
  const others = cardsOf(board, columnId).filter(({ id }) => id !== ticketId);
  return { ticketId, columnId, belowTicketId: others[Math.min(index, others.length) - 1]?.id ?? null };
}

/** Whether a move would leave everything as it is: within a sorted column, each does. */
export function isHere(board: Board, { ticketId, columnId, belowTicketId }: Move): boolean {
  const found = findCard(board, ticketId);
  if (found?.column.sort) return found.column.id === columnId;
  return found?.column.id === columnId && (found.column.cards[found.index - 1]?.id ?? null) === belowTicketId;
}

const cardsOf = (board: Board, columnId: string): Card[] =>
  board.columns.find(({ id }) => id === columnId)?.cards ?? [];
