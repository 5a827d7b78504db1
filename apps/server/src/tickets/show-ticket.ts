import type { ReadTicket } from "@lodge/contract/tickets";
import type { Deps } from "../platform/deps.ts";
import type { Token } from "../tokens/authenticate-token.ts";
import { readTicket } from "./read-ticket.ts";

/** A ticket that a token reaches, as it is now. Throws `ticket_not_found`. */
export async function showTicket(deps: Deps, token: Token, ticketId: string): Promise<ReadTicket> {
  const ticket = await readTicket(deps, deps.db, token.organisationId, ticketId, token);
  const { id, title, description, priority, project, board, column, author, assignee } = ticket;
  const {
    agentRepositoryId,
    startsAt,
    dueAt,
    run,
    number,
    labels,
    problem,
    occurrences,
    lastOccurredAt,
    doneAt,
    archivedAt,
    createdAt,
    url,
  } = ticket;
  return {
    id,
    title,
    description,
    priority,
    project,
    board,
    column,
    author: { kind: author.kind, name: author.name },
    assignee: assignee && {
      id: assignee.id,
      name: assignee.name,
      kind: assignee.isAgent ? ("agent" as const) : ("person" as const),
    },
    agentRepositoryId,
    startsAt,
    dueAt,
    run: run && {
      state: run.state,
      heldReason: run.state === "held" ? run.reason : null,
      reason: run.reason,
      branch: run.branch,
      pullRequestUrl: run.pullRequestUrl,
      createdAt: run.createdAt,
      endedAt: run.endedAt,
    },
    number,
    labels,
    problem,
    occurrences,
    lastOccurredAt,
    previousId: ticket.previousTicketId,
    doneAt,
    archivedAt,
    createdAt,
    url,
  };
}
