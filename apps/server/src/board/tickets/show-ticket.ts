import { hash } from "node:crypto";
import type { Ticket } from "@lodge/contract/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { toRun } from "../agents/run-columns.ts";
import { readTicketRows, type TicketRow } from "./read-ticket.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of the ticket with this id or number, as SQL; null for a number that no ticket has. */
function ticketIdSql(organisationId: string, reference: string): RawBuilder<string | null> {
  const [, slug, number] = /^(.+)-(\d{1,9})$/.exec(reference) ?? [];
  if (uuid.test(reference)) return sql`${reference}::uuid`;
  if (slug === undefined || number === undefined) return sql`null::uuid`;
  return sql`(
    select ticket_id from ticket_numbers join projects
      on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
    where ticket_numbers.organisation_id = ${organisationId} and projects.slug = ${slug.toLowerCase()}
      and number = ${Number(number)})`;
}

/** The id of the ticket with this id or number, whether or not a token can access it. Throws `ticket_not_found`. */
export async function findTicketId(db: Database, organisationId: string, reference: string): Promise<string> {
  const { rows } = await sql<{ id: string | null }>`select ${ticketIdSql(organisationId, reference)} as id`.execute(db);
  const id = rows[0]?.id;
  if (!id) throw new Refusal("ticket_not_found");
  return id;
}

/** The current state of a ticket that a token has access to, and its `ETag`. Throws `ticket_not_found`. */
export async function showTicket(
  deps: Pick<Deps, "urls">,
  db: Database,
  token: Token,
  reference: string,
): Promise<{ ticket: Ticket; etag: string }> {
  const { organisationId } = token;
  const [row] = await readTicketRows(db, organisationId, sql`t.id = ${ticketIdSql(organisationId, reference)}`, token);
  if (!row) throw new Refusal("ticket_not_found");
  return { ticket: toTicket(deps, row), etag: etagOf(row) };
}

/** Converts a row to the contract's form (contract section 8). */
export function toTicket({ urls }: Pick<Deps, "urls">, row: TicketRow): Ticket {
  const run = row.run_id === null ? null : toRun(row);
  return {
    id: row.id,
    number: row.number,
    title: row.title,
    description: row.description,
    projectId: row.project_id,
    boardId: row.board_id,
    columnId: row.column_id,
    priority: row.priority,
    labels: row.labels,
    assigneeUserId: row.assignee_user_id,
    agentRepositoryId: row.agent_repository_id,
    startsAt: row.starts_at,
    dueAt: row.due_at,
    author: { kind: authorKind(row), name: row.author_name },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    doneAt: row.done_at?.toISOString() ?? null,
    archivedAt: row.archived_at?.toISOString() ?? null,
    problem: row.problem,
    occurrences: row.occurrences,
    lastOccurredAt: row.occurred_at?.toISOString() ?? null,
    previousId: row.previous_ticket_id,
    run: run && {
      state: run.state,
      heldReason: run.state === "held" ? run.reason : null,
      reason: run.reason,
      branch: run.branch,
      pullRequestUrl: run.pullRequestUrl,
      pullRequestError: run.pullRequestError,
      createdAt: run.createdAt,
      endedAt: run.endedAt,
    },
    commentCount: row.comment_count,
    url: `${urls.base}/tickets/${row.id}`,
    project: { id: row.project_id, name: row.project_name },
    board: { id: row.board_id, name: row.board_name },
    column: { id: row.column_id, name: row.column_name, isDone: row.column_is_done },
    assignee:
      row.assignee_user_id === null
        ? null
        : {
            id: row.assignee_user_id,
            name: row.assignee_name ?? "",
            kind: row.assignee_is_agent ? "agent" : "person",
          },
  };
}

function authorKind({ origin, author_is_agent }: TicketRow): Ticket["author"]["kind"] {
  if (origin === "report") return "app";
  return author_is_agent ? "agent" : origin;
}

/** The version of a ticket, from everything that a change can affect, including its place. */
export const etagOf = (row: TicketRow): string =>
  `"${hash(
    "sha256",
    JSON.stringify([
      row.title,
      row.description,
      row.priority,
      row.labels,
      row.assignee_user_id,
      row.agent_repository_id,
      row.starts_at,
      row.due_at,
      row.column_id,
      row.position,
      row.done_at !== null,
      row.archived_at !== null,
    ]),
    "base64url",
  ).slice(0, 27)}"`;
