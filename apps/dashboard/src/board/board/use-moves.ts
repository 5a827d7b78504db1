import { useMutation } from "@tanstack/react-query";
import { useCallback, useLayoutEffect, useRef } from "react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { useWaiting, waitingKey } from "../../session/waiting.ts";
import type { WaitingMove } from "../send-later.ts";
import { findCard, type Move, moveCard } from "./move-card.ts";

/**
 * The board with the moves that are on their way to the server laid over what the server says: a move shows at once,
 * and one that fails is gone again, with the reason said.
 */
export function useMoves(board: LoadedBoard): { board: LoadedBoard; move: (move: Move) => void } {
  const moves = useWaiting<WaitingMove>("move");
  const { mutate } = useMutation<unknown, Error, WaitingMove>({ mutationKey: waitingKey("move") });
  const latest = useRef(board);
  useLayoutEffect(() => {
    latest.current = board;
  });
  const move = useCallback(
    (wanted: Move) => {
      const { id: boardId } = latest.current;
      mutate({ ...wanted, boardId, title: findCard(latest.current, wanted.ticketId)?.card.title });
    },
    [mutate],
  );
  return { board: moves.reduce(moveCard, board), move };
}
