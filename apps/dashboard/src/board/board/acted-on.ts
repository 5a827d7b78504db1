import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { useEffect } from "react";
import { externalStore } from "../../api/external-store.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import type { Move } from "./move-card.ts";

/** The board that is shown, its selected cards, and how its cards are changed. */
export type ActedBoard = {
  board: LoadedBoard;
  selected: ReadonlySet<string>;
  move: (move: Move) => void;
  change: (changes: TicketChange[], done: string) => void;
  clear: () => void;
  write: () => void;
};

const shown = externalStore<ActedBoard | undefined>(undefined);
let askedIn: string | undefined;

/** The board that is shown, for what acts on its cards from elsewhere. */
export const useActedBoard = shown.use;

/** Makes the board known to what acts on its cards from elsewhere; opens the form for a card that was asked for there. */
export function useActedOn(acted: ActedBoard) {
  const { board, write } = acted;
  useEffect(() => shown.set(acted));
  useEffect(() => () => shown.set(undefined), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the board opens
  useEffect(() => {
    if (askedIn === board.id) write();
    askedIn = undefined;
  }, [board.id]);
}

/** Opens the form for a new card on the board that is shown next, if it is this one. */
export function askForCard(boardId: string) {
  askedIn = boardId;
}
