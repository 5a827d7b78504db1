import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isRefused } from "../../api/call.ts";
import { ticketQuery } from "../../api/queries.ts";

/** The board that the address names, or that has the card which it names; and that card, as it is fetched. */
export function useOpenBoard() {
  const parameters: { boardId?: string; ticketId?: string } = useParams({ strict: false });
  const { ticketId } = parameters;
  const ticket = useQuery({ ...ticketQuery(ticketId ?? ""), enabled: ticketId !== undefined });
  // A card that is being opened from its board leaves the board where it is.
  const lastBoardId = useRef<string>(undefined);
  const isGone = isRefused(ticket.error, "ticket_not_found");
  const kept = ticketId === undefined || isGone ? undefined : lastBoardId.current;
  // Somebody may delete a card that is open: its board stays, and what is being written in it.
  const boardId = parameters.boardId ?? ticket.data?.board.id ?? kept;
  useEffect(() => {
    lastBoardId.current = boardId;
  }, [boardId]);
  return { boardId, ticketId, ticket };
}
