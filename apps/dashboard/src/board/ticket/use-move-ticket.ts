import { moveTicket } from "@lodge/contract/calls.generated";
import type { ColumnSummary } from "@lodge/contract/dashboard/boards";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { tellFailed } from "../../ui/toasts.tsx";
import { offerUndo } from "./undo.ts";

/** Moves a ticket to the top of a column. The message names the column if it is among `columns`. */
export function useMoveTicket(
  { id: ticketId, board: { id: boardId }, columnId: from }: { id: string; board: { id: string }; columnId: string },
  columns: readonly ColumnSummary[],
) {
  const queryClient = useQueryClient();
  return useMutation({
    scope: { id: `move ${ticketId}` },
    mutationFn: async (columnId: string) => {
      const sent = toldSoFar();
      const { undo, ...card } = await call(moveTicket, {
        params: { ticketId },
        body: { columnId, belowTicketId: null },
      });
      return { sent, card, undo };
    },
    onError: (error) => tellFailed("Could not move the card", error),
    onSuccess: ({ sent, card, undo }) => {
      const changed = { kind: "ticket.changed", ticketId, boardId, columnId: from } as const;
      adoptCard(queryClient, card, changed, sent);
      const to = columns.find(({ id }) => id === card.columnId);
      offerUndo(to ? `Moved to ${to.name}` : "Moved", [undo], { boardId });
      return fetchAfter(changed);
    },
  });
}
