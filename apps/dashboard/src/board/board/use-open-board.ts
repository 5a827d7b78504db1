import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isRefused } from "../../api/call.ts";
import { ticketQuery } from "../../api/queries.ts";

/** The board in the URL, or that of the card in the URL, and the query of that card. */
export function useOpenBoard() {
  const parameters: { boardId?: string; ticketId?: string } = useParams({ strict: false });
  const { ticketId } = parameters;
  const ticket = useQuery({ ...ticketQuery(ticketId ?? ""), enabled: ticketId !== undefined });
  // While a card is opened from its board, the board stays.
  const lastBoardId = useRef<string>(undefined);
  const isGone = isRefused(ticket.error, "ticket_not_found");
  const kept = ticketId === undefined || isGone ? undefined : lastBoardId.current;
  // If somebody deletes the open card, its board and unsaved text stay.
  const boardId = parameters.boardId ?? ticket.data?.board.id ?? kept;
  useEffect(() => {
    lastBoardId.current = boardId;
  }, [boardId]);
  return { boardId, ticketId, ticket };
}
