import type { Board } from "@lodge/contract/dashboard/boards";
import type { MoveTicket } from "@lodge/contract/dashboard/tickets";
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { request } from "../api/request.ts";
import { tellFailed } from "../ui/toasts.tsx";
import { findCard, type Move, moveCard } from "./move-card.ts";

const mutationKey = ["move-card"];

/**
 * The board with the moves that are on their way to the server laid over what the server says: a move shows at once,
 * and one that fails is gone again, with the reason said.
 */
export function useMoves(board: Board): { board: Board; move: (move: Move) => void } {
  const queryClient = useQueryClient();
  const moves = useMutationState({
    filters: { mutationKey, status: "pending" },
    select: (mutation) => mutation.state.variables as Move,
  });
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: "move-card" }, // one after the other, in the order in which they were made
    mutationFn: ({ ticketId, columnId, belowTicketId }: Move) =>
      request("POST", `tickets/${encodeURIComponent(ticketId)}/move`, { columnId, belowTicketId } satisfies MoveTicket),
    onError: (error, { ticketId }) => {
      const title = findCard(board, ticketId)?.card.title;
      tellFailed(title ? `“${title}” was put back` : "The card was put back", error);
    },
    // Still pending until the server's own order is here, so that the card never jumps back in between.
    onSettled: (_answer, _error, { ticketId }) =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["board", board.id] }),
        queryClient.invalidateQueries({ queryKey: ["ticket", ticketId] }),
        queryClient.invalidateQueries({ queryKey: ["activities", ticketId] }),
      ]),
  });
  return { board: moves.reduce(moveCard, board), move: mutate };
}
