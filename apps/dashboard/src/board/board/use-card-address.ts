import type { BoardSearch } from "@lodge/contract/dashboard/boards";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** The search parameters of a board and its cards, and a function that opens a card there. */
export function useCardAddress(boardId: string, search: BoardSearch) {
  const navigate = useNavigate();
  const router = useRouter();
  const searchText = useMemo(
    () => router.buildLocation({ to: "/boards/$boardId", params: { boardId }, search }).searchStr,
    [router, boardId, search],
  );
  const openCard = useCallback(
    (ticketId: string) => void navigate({ to: "/tickets/$ticketId", params: { ticketId }, search }),
    [navigate, search],
  );
  return { searchText, openCard };
}
