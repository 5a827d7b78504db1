import { viewBoard } from "@lodge/contract/calls.generated";
import type { Card, CardFilter } from "@lodge/contract/dashboard/boards";
import type { TicketEvent } from "@lodge/contract/dashboard/change";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { type LoadedBoard, patchBoard, type Told } from "./patch-board.ts";

const keptMax = 500;
const refetchMs = 1_000;
const kept: Told[] = [];
let count = 0;

/** The number of events received so far, for `withToldSince` and `adoptCard`. */
export const toldSoFar = (): number => count;

/** The ticket events since `then`, as far as kept. A response that was in flight may not include them. */
const toldSince = (then: number): readonly Told[] => kept.slice(Math.max(0, kept.length - (count - then)));

/** A board with later ticket events applied, as far as possible without the server. */
export const withToldSince = (then: number, board: LoadedBoard, filter: CardFilter): LoadedBoard =>
  toldSince(then).reduce((patched, told) => patchBoard(patched, filter, told) ?? patched, board);

/** Applies a ticket event to every cached board. */
export function applyTold(queryClient: QueryClient, told: Told) {
  kept.push(told);
  if (kept.length > keptMax) kept.shift();
  count++;
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: [viewBoard.id] })) {
    const board = state.data as LoadedBoard | undefined;
    if (!board || state.isInvalidated) continue; // the board must be refetched
    const patched = patchBoard(board, queryKey[2] as CardFilter, told);
    if (!patched) refetchSoon(queryClient, queryKey);
    else if (patched !== board) queryClient.setQueryData(queryKey, patched);
  }
}

/**
 * Applies the card in the response to a change by this page to the cached boards. `sent` is `toldSoFar()` from when the
 * request was sent: if the stream has already delivered the card, its version is as new or newer.
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

/** Whether the board already shows the card as it is in an event. */
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
