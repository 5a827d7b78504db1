import type { Card } from "@lodge/contract/dashboard/boards";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { isCollapsed } from "../../api/column-choices.ts";
import type { LoadedBoard as Board } from "../../api/patch-board.ts";
import { focusCard, keepFocusNear, ticketIdOf } from "./laid-out-cards.ts";
import { findCard, isHere, type Move, moveCards, type Place } from "./move-card.ts";

/**
 * A card that is being moved by keyboard, all cards that move with it in the board's order, and the target so far. The
 * target is relative to another card, so that it stays right when cards arrive.
 */
type Carry = { ticketId: string; together: readonly string[]; to?: Place };

/**
 * Moves cards by keyboard. Arrow keys move the focus; Space picks up the focused card, arrow keys move it, Space drops
 * it, and Escape cancels. A selected card takes the other selected ones along. `announcement` is for screen readers.
 */
export function useCarry(
  board: Board,
  selected: ReadonlySet<string>,
  move: (move: Move) => void,
  moveAll: (ticketIds: readonly string[], place: Place) => void,
) {
  const [carry, setCarry] = useState<Carry>();
  const [announcement, announce] = useState("");
  const shown = carry?.to ? moveCards(board, carry.together, carry.to) : board;

  // A card that changes its column becomes a new element, which must get the focus.
  const carriedBefore = useRef<string>(undefined);
  useLayoutEffect(() => {
    const ticketId = carry?.ticketId ?? carriedBefore.current;
    if (ticketId) focusCard(ticketId);
    carriedBefore.current = carry?.ticketId;
  }, [carry]);

  const pickUp = (ticketId: string) => {
    const found = findCard(board, ticketId);
    if (!found) return;
    const all = board.columns.flatMap(({ cards }) => cards.filter(({ id }) => selected.has(id)));
    const together = selected.has(ticketId) ? all.map(({ id }) => id) : [ticketId];
    setCarry({ ticketId, together });
    const what = together.length > 1 ? `${together.length} cards` : found.card.title;
    announce(
      `Picked up ${what}. ${placeInWords(board, ticketId)}. Arrow keys move ${together.length > 1 ? "them" : "it"}, Space drops ${together.length > 1 ? "them" : "it"}, Escape cancels.`,
    );
  };

  const carryTo = ({ ticketId, together }: Carry, columnStep: number, step: number) => {
    const found = findCard(shown, ticketId);
    if (!found) return setCarry(undefined); // it has left the board
    if (step !== 0 && found.column.sort)
      return announce(`${found.column.name} is sorted automatically. You cannot move cards up or down in it`);
    let columnIndex = shown.columns.indexOf(found.column) + columnStep;
    while (columnStep !== 0 && isCollapsed(shown.columns[columnIndex]?.id)) columnIndex += columnStep;
    const column = shown.columns[columnIndex];
    if (!column) return;
    const isLeft = ({ id }: Card) => !together.includes(id);
    const above = found.column.cards.slice(0, found.index).filter(isLeft).length + step;
    const neighbour = column.sort ? undefined : column.cards.filter(isLeft).slice(0, Math.max(0, above)).at(-1);
    const to = { columnId: column.id, belowTicketId: neighbour?.id ?? null };
    // Moving a focused element would force a synchronous layout of the board.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    setCarry({ ticketId, together, to });
    announce(placeInWords(moveCards(board, together, to), ticketId));
  };

  const putDown = ({ ticketId, together, to }: Carry) => {
    setCarry(undefined);
    announce(`Dropped. ${placeInWords(shown, ticketId)}.`);
    if (!to) return;
    if (together.length > 1) return moveAll(together, to);
    keepFocusNear([ticketId]); // its element can be another one once the server has answered
    if (!isHere(board, { ticketId, ...to })) move({ ticketId, ...to });
  };

  const cancel = () => {
    setCarry(undefined);
    announce("Cancelled. Nothing was moved.");
  };

  const go = (ticketId: string, columnStep: number, step: number) => {
    const found = findCard(board, ticketId);
    if (!found) return;
    let columnIndex = board.columns.indexOf(found.column) + columnStep;
    const isPassed = (column: Board["columns"][number] | undefined) =>
      column?.cards.length === 0 || isCollapsed(column?.id);
    while (columnStep !== 0 && isPassed(board.columns[columnIndex])) columnIndex += columnStep;
    const cards = board.columns[columnIndex]?.cards ?? [];
    const next = cards[columnStep === 0 ? found.index + step : Math.min(found.index, cards.length - 1)];
    if (next) focusCard(next.id);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const ticketId = ticketIdOf(event.target);
    if (!ticketId || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = steps[event.key];
    if (event.key === "Tab") {
      if (carry) cancel();
      return;
    }
    if (event.key === "Enter" && !carry) return;
    if (step) carry ? carryTo(carry, ...step) : go(ticketId, ...step);
    else if (event.key === " " || event.key === "Enter") carry ? putDown(carry) : pickUp(ticketId);
    else if (event.key === "Escape" && carry) cancel();
    else return;
    event.preventDefault();
  };

  return { board: shown, carriedId: carry?.ticketId, announcement, onKeyDown };
}

/** The step of each arrow key: right and down. */
const steps: Record<string, [columns: number, cards: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function placeInWords(board: Board, ticketId: string): string {
  const found = findCard(board, ticketId);
  return found ? `Column ${found.column.name}, place ${found.index + 1} of ${found.column.cards.length}` : "";
}
