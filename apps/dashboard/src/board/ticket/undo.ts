import { changeTickets, restoreTickets } from "@lodge/contract/calls.generated";
import type { Card } from "@lodge/contract/dashboard/boards";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { notifyManager } from "@tanstack/react-query";
import { call, isRefused } from "../../api/call.ts";
import { fetchAfter, queryClient } from "../../api/client.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";

/** The board of the cards, and a function that keeps the focus near them. */
type Where = { boardId: string; focus?: (ticketIds: readonly string[]) => void };

/** Shows what was done to cards, with an undo that sends the changes from the server's response. */
export function offerUndo(done: string, changes: TicketChange[], where: Where) {
  const ids = changes.map(({ ticketId }) => ticketId);
  const send = () => call(changeTickets, { body: { changes } });
  tellDone(done, ids.length > 0 ? () => undo(ids, send, where) : undefined);
}

/** Shows that cards were deleted, with an undo that restores them. */
export function offerRestore(done: string, ticketIds: string[], where: Where) {
  const send = () => call(restoreTickets, { body: { ticketIds } });
  tellDone(done, () => undo(ticketIds, send, where));
}

async function undo(ticketIds: string[], send: () => Promise<{ cards: Card[] }>, { boardId, focus }: Where) {
  focus?.(ticketIds);
  const sent = toldSoFar();
  try {
    const { cards } = await send();
    focus?.(ticketIds); // again, now that the previous places are known
    tellDone("Undone");
    const changes = cards.map(({ id: ticketId, columnId }) => {
      return { kind: "ticket.restored", ticketId, boardId, columnId } as const;
    });
    notifyManager.batch(() => {
      for (const [index, card] of cards.entries()) {
        const change = changes[index];
        if (change) adoptCard(queryClient, card, change, sent);
      }
    });
    await Promise.all(changes.map(fetchAfter));
  } catch (error) {
    if (isRefused(error, "ticket_changed")) tellFailed("Not undone. Somebody has changed the card since");
    else tellFailed("Could not undo", error);
  }
}
