import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import type { ReadTicket } from "@lodge/contract/tickets";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { readTicket } from "./read-ticket.ts";

/** What a token is shown of a ticket as a page is. */
const shown = [
  "id",
  "title",
  "description",
  "priority",
  "project",
  "board",
  "column",
  "agentRepositoryId",
  "startsAt",
  "dueAt",
  "number",
  "labels",
  "problem",
  "occurrences",
  "lastOccurredAt",
  "doneAt",
  "archivedAt",
  "createdAt",
  "url",
] as const satisfies readonly (keyof TicketDetails & keyof ReadTicket)[];

/** A ticket that a token reaches, as it is now. Throws `ticket_not_found`. */
export async function showTicket(deps: Deps, token: Token, ticketId: string): Promise<ReadTicket> {
  const ticket = await readTicket(deps, deps.db, token.organisationId, ticketId, token);
  const { author, assignee, run, previousTicketId } = ticket;
  return {
    ...(Object.fromEntries(shown.map((field) => [field, ticket[field]])) as Pick<
      TicketDetails,
      (typeof shown)[number]
    >),
    author: { kind: author.kind, name: author.name },
    assignee: assignee && { id: assignee.id, name: assignee.name, kind: assignee.isAgent ? "agent" : "person" },
    run: run && {
      state: run.state,
      heldReason: run.state === "held" ? run.reason : null,
      reason: run.reason,
      branch: run.branch,
      pullRequestUrl: run.pullRequestUrl,
      createdAt: run.createdAt,
      endedAt: run.endedAt,
    },
    previousId: previousTicketId,
  };
}
