import { viewBoard } from "@lodge/contract/calls.generated";
import type { Card, CardFilter } from "@lodge/contract/dashboard/boards";
import type { TicketEvent } from "@lodge/contract/dashboard/change";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { type LoadedBoard, patchBoard, type Told } from "./patch-board.ts";

const keptMax = 500;
const refetchMs = 1_000;
const kept: Told[] = [];
let count = 0;

/** The number of events so far: for `withToldSince` and `adoptCard`. */
export const toldSoFar = (): number => count;

/**
 * The events about tickets since then, as far as they are kept: an answer that was under way meanwhile may not know of
 * it.
 */
const toldSince = (then: number): readonly Told[] => kept.slice(Math.max(0, kept.length - (count - then)));

/** A board with the events about its tickets since then applied, as far as that is possible without the server. */
export const withToldSince = (then: number, board: LoadedBoard, filter: CardFilter): LoadedBoard =>
  toldSince(then).reduce((patched, told) => patchBoard(patched, filter, told) ?? patched, board);

/** Applies an event about a ticket to every known board. */
export function applyTold(queryClient: QueryClient, told: Told) {
  kept.push(told);
  if (kept.length > keptMax) kept.shift();
  count++;
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: [viewBoard.id] })) {
    const board = state.data as LoadedBoard | undefined;
    if (!board || state.isInvalidated) continue; // it is to be fetched whole
    const patched = patchBoard(board, queryKey[2] as CardFilter, told);
    if (!patched) refetchSoon(queryClient, queryKey);
    else if (patched !== board) queryClient.setQueryData(queryKey, patched);
  }
}

/**
 * Lays a card, as a change of this page's was answered, into the boards. `sent` is `toldSoFar()` of when it was sent: where
 * the stream was faster, what it told is as new or newer.
 */
export function adoptCard(queryClient: QueryClient, card: Card, change: TicketEvent, sent: number) {
  const meanwhile = toldSince(sent).filter(({ ticketId }) => ticketId === card.id);
  const shown = card.archivedAt === null ? card : null;
  if (meanwhile.length === 0) applyTold(queryClient, { ...change, card: shown, columns: [] });
  else if (!meanwhile.some((told) => isSame(told.card, shown))) {
    for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: [viewBoard.id] })) {
      refetchSoon(queryClient, queryKey);
    }
  }
}

/** Whether an event shows the same card as the board already does. */
const isSame = (told: Card | null, card: Card | null) =>
  told === card ||
  (told !== null &&
    card !== null &&
    Object.entries(told).every(
      ([field, value]) => JSON.stringify(value) === JSON.stringify(card[field as keyof Card]),
    ));

const waiting = new Map<string, ReturnType<typeof setTimeout>>();

function refetchSoon(queryClient: QueryClient, queryKey: QueryKey) {
  const key = JSON.stringify(queryKey);
  if (waiting.has(key)) return;
  const timer = setTimeout(() => {
    waiting.delete(key);
    void queryClient.invalidateQueries({ queryKey, exact: true });
  }, refetchMs);
  waiting.set(key, timer);
}
