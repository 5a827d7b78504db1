import type { Board } from "@lodge/contract/dashboard/boards";
import type { MoveTicket } from "@lodge/contract/dashboard/tickets";
import { notifyManager, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../api/request.ts";
import { tellFailed } from "../ui/toasts.tsx";
import { findCard, type Move, moveCard } from "./move-card.ts";

/**
 * The board with the moves that are on their way to the server laid over what the server says: a move shows at once,
 * and one that fails is gone again, with the reason said.
 */
export function useMoves(board: Board): { board: Board; move: (move: Move) => void } {
  const queryClient = useQueryClient();
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const { mutate } = useMutation({
    scope: { id: "move-card" }, // one after the other, in the order in which they were made
    mutationFn: ({ ticketId, columnId, belowTicketId }: Move) =>
      request("POST", `tickets/${encodeURIComponent(ticketId)}/move`, { columnId, belowTicketId } satisfies MoveTicket),
    onError: (error, { ticketId }) => {
      const title = findCard(board, ticketId)?.card.title;
      tellFailed(title ? `“${title}” was put back` : "The card was put back", error);
    },
    onSettled: async (_answer, _error, move) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["board", board.id] }),
        queryClient.invalidateQueries({ queryKey: ["ticket", move.ticketId] }),
        queryClient.invalidateQueries({ queryKey: ["activities", move.ticketId] }),
      ]);
      // After the server's own order has been shown, so that the card never jumps back in between.
      notifyManager.schedule(() => setMoves((all) => all.filter((other) => other !== move)));
    },
  });
  const move = (wanted: Move) => {
    setMoves((all) => [...all, wanted]);
    mutate(wanted);
  };
  return { board: moves.reduce(moveCard, board), move };
}
