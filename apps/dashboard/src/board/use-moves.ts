import { moveTicket } from "@lodge/contract/calls.generated";
import type { Board } from "@lodge/contract/dashboard/boards";
import { notifyManager, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { tellFailed } from "../ui/toasts.tsx";
import { findCard, type Move, moveCard } from "./move-card.ts";

/**
 * The board with the moves that are on their way to the server laid over what the server says: a move shows at once,
 * and one that fails is gone again, with the reason said.
 */
export function useMoves(board: Board): { board: Board; move: (move: Move) => void } {
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const { mutate } = useMutation({
    scope: { id: "move-card" }, // one after the other, in the order in which they were made
    mutationFn: ({ ticketId, columnId, belowTicketId }: Move) =>
      call(moveTicket, { params: { ticketId }, body: { columnId, belowTicketId } }),
    onError: (error, { ticketId }) => {
      const title = findCard(board, ticketId)?.card.title;
      tellFailed(title ? `“${title}” was put back` : "The card was put back", error);
    },
    onSettled: async (_answer, _error, move) => {
      await fetchAfter({ kind: "ticket.changed", boardId: board.id, ...move });
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
