import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/**
 * Closes the card that lies open over its board. Where the board was opened before the card, it goes back there, so that
 * going back once more leaves the board and does not open the card again; else the board takes the card's place.
 */
export function useCloseCard(boardId: string, search: object, open: boolean): () => void {
  const { history } = useRouter();
  const navigate = useNavigate();
  const board = useRef<{ index: number; of: string }>(undefined);
  const of = JSON.stringify([boardId, search]);
  useEffect(() => {
    if (!open) board.current = { index: history.location.state.__TSR_index, of };
  }, [open, history, of]);
  return () => {
    const steps = (board.current?.index ?? 0) - history.location.state.__TSR_index;
    if (board.current?.of === of && steps < 0) history.go(steps);
    else void navigate({ to: "/boards/$boardId", params: { boardId }, search, replace: true });
  };
}
