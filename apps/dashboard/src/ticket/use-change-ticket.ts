import type { ChangeTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ticketQuery } from "../api/queries.ts";
import { request } from "../api/request.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** Saves a change of a ticket's fields; one that fails is said, and what was there before shows again. */
export function useChangeTicket(ticketId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = ticketQuery(ticketId);
  return useMutation({
    mutationFn: (change: ChangeTicket) =>
      request<TicketDetails>("PATCH", `tickets/${encodeURIComponent(ticketId)}`, change),
    onSuccess: async (ticket) => {
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, ticket);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["board", ticket.board.id] }),
        queryClient.invalidateQueries({ queryKey: ["activities", ticketId] }),
      ]);
    },
    onError: (error) => tellFailed("The change was not saved", error),
  });
}
