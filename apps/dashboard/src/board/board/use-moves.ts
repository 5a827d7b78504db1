import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { useMutation } from "@tanstack/react-query";
import { useCallback, useLayoutEffect, useRef } from "react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { useWaiting, waitingKey } from "../../session/waiting.ts";
import type { WaitingMove } from "../send-later.ts";
import { offerUndo } from "../ticket/undo.ts";
import { keepFocusNear } from "./laid-out-cards.ts";
import { findCard, type Move, moveCard } from "./move-card.ts";

/**
 * The board with pending moves applied. A move shows immediately; one that fails is reverted, with an error message.
 */
export function useMoves(board: LoadedBoard): { board: LoadedBoard; move: (move: Move) => void } {
  const moves = useWaiting<WaitingMove>("move");
  const { mutateAsync } = useMutation<{ undo: TicketChange }, Error, WaitingMove>({ mutationKey: waitingKey("move") });
  const latest = useRef(board);
  useLayoutEffect(() => {
    latest.current = board;
  });
  const move = useCallback(
    (wanted: Move) => {
      const { id: boardId, columns } = latest.current;
      const offer = ({ undo }: { undo: TicketChange }) => {
        const to = wanted.columnId === undo.columnId ? undefined : columns.find(({ id }) => id === wanted.columnId);
        offerUndo(to ? `Moved to ${to.name}` : "Moved", [undo], { boardId, focus: keepFocusNear });
      };
      const title = findCard(latest.current, wanted.ticketId)?.card.title;
      mutateAsync({ ...wanted, boardId, title }).then(offer, () => {}); // `send-later.ts` shows the error
    },
    [mutateAsync],
  );
  return { board: moves.reduce(moveCard, board), move };
}
