import { changeTicket } from "@lodge/contract/calls.generated";
import type { ChangeTicket } from "@lodge/contract/dashboard/tickets";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { ticketQuery } from "../api/queries.ts";
import { adoptCard, toldSoFar } from "../api/told.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** Saves a change of a ticket's fields; one that fails is said, and what was there before shows again. */
export function useChangeTicket(ticketId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = ticketQuery(ticketId);
  return useMutation({
    mutationFn: async (change: ChangeTicket) => {
      const sent = toldSoFar();
      return { sent, ticket: await call(changeTicket, { params: { ticketId }, body: change }) };
    },
    onSuccess: async ({ sent, ticket }) => {
      const changed = {
        kind: "ticket.changed",
        ticketId,
        boardId: ticket.board.id,
        columnId: ticket.columnId,
      } as const;
      adoptCard(queryClient, ticket, changed, sent);
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, ticket);
      await fetchAfter(changed);
    },
    onError: (error) => tellFailed("The change was not saved", error),
  });
}
