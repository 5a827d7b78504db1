import { moveTicket } from "@lodge/contract/calls.generated";
import { notifyManager, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { call } from "../../api/call.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { tellFailed } from "../../ui/toasts.tsx";
import { offerUndo } from "../ticket/undo.ts";
import { keepFocusNear } from "./laid-out-cards.ts";
import { findCard, inOrder, type Move, moveCard } from "./move-card.ts";

/**
 * The board with the moves that are on their way to the server laid over what the server says: a move shows at once,
 * and one that fails is gone again, with the reason said.
 */
export function useMoves(board: LoadedBoard): { board: LoadedBoard; move: (move: Move) => void } {
  const queryClient = useQueryClient();
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const { mutate } = useMutation({
    scope: inOrder,
    mutationFn: async ({ ticketId, columnId, belowTicketId }: Move) => {
      const sent = toldSoFar();
      const { undo, ...card } = await call(moveTicket, { params: { ticketId }, body: { columnId, belowTicketId } });
      return { sent, card, undo };
    },
    onSuccess: ({ sent, card, undo }) => {
      const { id: ticketId, columnId } = card;
      adoptCard(queryClient, card, { kind: "ticket.changed", ticketId, boardId: board.id, columnId }, sent);
      const to = columnId === undo.columnId ? undefined : board.columns.find(({ id }) => id === columnId);
      offerUndo(to ? `Moved to ${to.name}` : "Moved", [undo], { boardId: board.id, focus: keepFocusNear });
    },
    onError: (error, { ticketId }) => {
      const title = findCard(board, ticketId)?.card.title;
      tellFailed(title ? `“${title}” was moved back` : "The card was moved back", error);
    },
    onSettled: (_answer, _error, move) => {
      // After the server's own order has been shown, so that the card never jumps back in between.
      notifyManager.schedule(() => setMoves((all) => all.filter((other) => other !== move)));
    },
  });
  const move = useCallback(
    (wanted: Move) => {
      setMoves((all) => [...all, wanted]);
      mutate(wanted);
    },
    [mutate],
  );
  return { board: moves.reduce(moveCard, board), move };
}
