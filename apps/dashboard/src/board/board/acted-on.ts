import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { useEffect } from "react";
import { externalStore } from "../../api/external-store.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import type { Move } from "./move-card.ts";

/** The visible board, its selected cards, and the actions on them. */
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

/** The visible board, for code outside of it that acts on its cards. */
export const useActedBoard = shown.use;

/** Registers the visible board for code outside of it, and opens the new-card form if that was requested. */
export function useActedOn(acted: ActedBoard) {
  const { board, write } = acted;
  useEffect(() => shown.set(acted));
  useEffect(() => () => shown.set(undefined), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the board opens
  useEffect(() => {
    if (askedIn === board.id) write();
    askedIn = undefined;
  }, [board.id]);
}

/** Opens the new-card form on this board if it is the next one to be shown. */
export function askForCard(boardId: string) {
  askedIn = boardId;
}
