import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import type { LoadedBoard as Board } from "../api/patch-board.ts";
import { findCard, isHere, type Move, moveTo, placeCard } from "./move-card.ts";

type Carry = { ticketId: string; columnId: string; index: number };

/** The id of the element of a card that takes the focus. */
export const cardElementId = (ticketId: string) => `card-${ticketId}`;

/** Puts the focus on a card, where it is shown. */
export const focusCard = (ticketId: string) => document.getElementById(cardElementId(ticketId))?.focus();

/**
 * Moving cards by keyboard: the arrow keys go from card to card; Space picks the focused one up, arrows carry it, Space
 * puts it down, Escape leaves it where it was. `announcement` is what a screen reader is to say.
 */
export function useCarry(board: Board, move: (move: Move) => void) {
  const [carry, setCarry] = useState<Carry>();
  const [announcement, announce] = useState("");
  const shown = carry ? placeCard(board, carry.ticketId, carry.columnId, carry.index) : board;

  // A card that changes its column is a new element there; the focus goes with it.
  const carriedBefore = useRef<string>(undefined);
  useLayoutEffect(() => {
    const ticketId = carry?.ticketId ?? carriedBefore.current;
    if (ticketId) focusCard(ticketId);
    carriedBefore.current = carry?.ticketId;
  }, [carry]);

  const pickUp = (ticketId: string) => {
    const found = findCard(board, ticketId);
    if (!found) return;
    setCarry({ ticketId, columnId: found.column.id, index: found.index });
    announce(
      `Picked up ${found.card.title}. ${placeInWords(board, ticketId)}. Arrow keys move it, Space puts it down, Escape cancels.`,
    );
  };

  const carryTo = (from: Carry, columnStep: number, step: number) => {
    const columnIndex = shown.columns.findIndex(({ id }) => id === from.columnId) + columnStep;
    const column = shown.columns[columnIndex];
    if (!column) return;
    const others = column.cards.filter(({ id }) => id !== from.ticketId).length;
    const index = Math.max(0, Math.min(others, from.index + step));
    const next = { ...from, columnId: column.id, index };
    setCarry(next);
    announce(placeInWords(placeCard(board, next.ticketId, next.columnId, next.index), next.ticketId));
  };

  const putDown = ({ ticketId, columnId, index }: Carry) => {
    const wanted = moveTo(board, ticketId, columnId, index);
    setCarry(undefined);
    announce(`Put down. ${placeInWords(shown, ticketId)}.`);
    if (!isHere(board, wanted)) move(wanted);
  };

  const cancel = () => {
    setCarry(undefined);
    announce("Cancelled: the card is where it was.");
  };

  const go = (ticketId: string, columnStep: number, step: number) => {
    const found = findCard(board, ticketId);
    if (!found) return;
    let columnIndex = board.columns.indexOf(found.column) + columnStep;
    while (columnStep !== 0 && board.columns[columnIndex]?.cards.length === 0) columnIndex += columnStep;
    const cards = board.columns[columnIndex]?.cards ?? [];
    const next = cards[columnStep === 0 ? found.index + step : Math.min(found.index, cards.length - 1)];
    if (next) focusCard(next.id);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { id } = event.target as HTMLElement;
    const ticketId = id.startsWith("card-") ? id.slice("card-".length) : undefined;
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

/** How far each arrow key goes: to the right, and down. */
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
