import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/**
 * Closes the card that is open over its board. If the board was opened before the card, this goes back in the history,
 * so that another step back leaves the board instead of reopening the card. Else the board replaces the card's URL.
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
