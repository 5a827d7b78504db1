import { changeTicket, listActivities } from "@lodge/contract/calls.generated";
import type { Person } from "@lodge/contract/dashboard/access";
import type { ChangeTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useMutation, useMutationState, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, isRefused } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { peopleQuery, ticketQuery } from "../../api/queries.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { tellFailed, tellWorked } from "../../ui/toasts.tsx";
import { offerUndo } from "./undo.ts";

const changing = (ticketId: string) => [changeTicket.id, ticketId];

/** The key that ties an error message to a change: the ticket and its changed fields. */
const aboutChange = (ticketId: string, change: ChangeTicket) => [ticketId, ...Object.keys(change)].join();

/** A ticket with its pending changes applied. */
export function useTicket(ticketId: string) {
  const ticket = useQuery(ticketQuery(ticketId));
  const { data: people = [] } = useQuery(peopleQuery);
  const changes = useMutationState({
    filters: { mutationKey: changing(ticketId), status: "pending" },
    select: ({ state }) => state.variables as ChangeTicket,
  });
  const data = ticket.data && changes.reduce((before, change) => changed(before, change, people), ticket.data);
  return { data, error: ticket.error, isError: ticket.isError, refetch: ticket.refetch };
}

function changed(ticket: TicketDetails, change: ChangeTicket, people: readonly Person[]): TicketDetails {
  const { assigneeUserId, archived = ticket.archivedAt !== null, basedOn: _, ...same } = change;
  const assignee = assigneeUserId === undefined ? ticket.assignee : people.find(({ id }) => id === assigneeUserId);
  const archivedAt = archived ? (ticket.archivedAt ?? new Date().toISOString()) : null;
  return { ...ticket, ...same, assignee: assignee ?? null, archivedAt };
}

/**
 * Changes fields of a ticket. A change shows immediately; one that fails is reverted, with an error message. Changes
 * are sent one at a time, in order. `saved` is called even if the card is closed by then. `refused` returns true if it
 * shows the error itself.
 */
export function useChangeTicket(
  ticketId: string,
  { saved, refused }: { saved?: (change: ChangeTicket) => void; refused?: (error: Error) => boolean } = {},
) {
  const queryClient = useQueryClient();
  const { queryKey } = ticketQuery(ticketId);
  return useMutation({
    mutationKey: changing(ticketId),
    scope: { id: changing(ticketId).join() },
    mutationFn: async (change: ChangeTicket) => {
      const sent = toldSoFar();
      const { undo, ...ticket } = await call(changeTicket, { params: { ticketId }, body: change });
      return { sent, ticket, undo };
    },
    onSuccess: async ({ sent, ticket, undo }, change) => {
      saved?.(change);
      tellWorked(aboutChange(ticketId, change));
      if (undo) offerUndo(inWords(change), [undo], { boardId: ticket.board.id });
      const changed = {
        kind: "ticket.changed",
        ticketId,
        boardId: ticket.board.id,
        columnId: ticket.columnId,
      } as const;
      adoptCard(queryClient, ticket, changed, sent);
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, ticket);
      await fetchAfter(changed);
    },
    onError: (error, change) => {
      if (!refused?.(error)) tellFailed("Could not save the change", error, aboutChange(ticketId, change));
    },
  });
}

/** The message when a change is saved. */
function inWords(change: ChangeTicket): string {
  if (change.archived !== undefined) return change.archived ? "Archived" : "Restored to its board";
  const [field] = Object.keys(change);
  return `${fieldNames[field as keyof typeof fieldNames] ?? "Card"} changed`;
}

const fieldNames = {
  priority: "Priority",
  assigneeUserId: "Assignee",
  labels: "Labels",
  startsAt: "Start date",
  dueAt: "Due date",
};

/**
 * Handles changes that are refused because somebody else changed the same text: shows an error and fetches their text.
 */
export function useRefusedTexts(ticketId: string): (error: Error) => boolean {
  const queryClient = useQueryClient();
  return (error) => {
    if (!isRefused(error, "text_changed")) return false;
    void queryClient.invalidateQueries({ queryKey: ticketQuery(ticketId).queryKey });
    tellFailed("Not saved: the text was changed in the meantime. Compare it with yours, then save again");
    return true;
  };
}

/**
 * The name of the person who last changed a text of a ticket, or "Somebody else" until it is known. `text` is the text
 * that conflicts with a draft; undefined if there is no conflict.
 */
export function useChangedBy(ticketId: string, field: "title" | "description", text: string | undefined): string {
  const { data } = useQuery({
    queryKey: ["changed by", ticketId, field, text],
    queryFn: () => call(listActivities, { params: { ticketId } }),
    enabled: text !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const last = data?.activities.find(({ changes }) => changes?.some((change) => change.field === field));
  return last?.actor.name ?? "Somebody else";
}
