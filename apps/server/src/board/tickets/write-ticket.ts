import { batchedStatement } from "../../platform/database/batched-statement.ts";
import { isForeignKeyViolation, isUniqueViolation } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { fileOccurrences } from "./file-occurrences.ts";
import {
  assignedSql,
  bodySql,
  checkedSql,
  labelledSql,
  newTicketColumns,
  originSql,
  ticketNamesSql,
  ticketValuesSql,
  undeliveredSql,
  writtenColumns,
} from "./new-ticket-sql.ts";

const body = bodySql({
  id: "id",
  title: "title",
  project: "found_project_id",
  board: "found_board_id",
  column: "found_column_id",
  createdAt: "created_at",
  baseUrl: "base_url",
});

/**
 * Finds the places of tickets, checks their references, and writes them with everything that belongs to them, in one
 * statement: one transaction and one round trip. It writes nothing if it refuses, if another request holds the
 * Idempotency-Key, or if the delivery already has its card. It builds the response body because the idempotency record
 * stores the exact bytes. Keys are locked in order.
 */
const fileTickets = batchedStatement({
  name: "file_tickets",
  columns: newTicketColumns,
  row: writtenColumns,
  text: (request) => `with ${checkedSql(request, `, ${body} as body`)}, remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, created_at
    from checked where refusal is null and idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
    on conflict do nothing
    returning response_body
  ), ticket as (
    insert into tickets (${ticketNamesSql})
    select ${ticketValuesSql}
    from checked
    where refusal is null and (idempotency_key is null or body in (select response_body from remembered))
      and ${undeliveredSql}
    returning id
  ), filed as materialized (
    select checked.* from checked join ticket using (id)
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_user_id, actor_name, details,
      created_at)
    select organisation_id, id, 'ticket.filed', token_id, user_id, author_name, ${originSql}, created_at
    from filed
  ), ${labelledSql}, ${assignedSql}
  select checked.n, checked.refusal, checked.id, checked.found_board_id as board_id,
    checked.found_column_id as column_id, filed.body, run.id as run_id
  from checked left join filed using (id) left join run on run.ticket_id = filed.id`,
});

/**
 * The author of a new ticket: an API token within its projects, a person, who files one ticket for each `key`, or an
 * app whose report a delivery brings.
 */
export type Author =
  | { kind: "token"; organisationId: string; id: string; name: string; reachesAllProjects: boolean }
  | { kind: "person"; organisationId: string; id: string; name: string; key?: string | undefined }
  | { kind: "app"; organisationId: string; id: string; name: string; eventId: string; deliveryId: string };

/** A ticket as its author requests it; omitted fields get the defaults of the interface (section 2.2). */
export type NewTicket = {
  title: string;
  description?: string | undefined;
  projectId?: string | undefined;
  boardId?: string | undefined;
  columnId?: string | undefined;
  priority?: string | undefined;
  assigneeUserId?: string | null | undefined;
  agentRepositoryId?: string | null | undefined;
  startsAt?: string | null | undefined;
  dueAt?: string | null | undefined;
  labels?: readonly string[] | undefined;
  /**
   * The problem of the ticket: while another ticket of this problem is open in the project, this is an occurrence of
   * that one.
   */
  problem?: string | undefined;
};

/** An Idempotency-Key with the hash of the request body. */
export type Idempotency = { key: string; requestSha256: Buffer };

/** The result of filing: the ticket, the response body for a token, and whether the ticket is new. */
export type Written = { id: string; body: string; isNew: boolean };

/**
 * Writes a ticket with its activity, labels, idempotency record and, if it is assigned to the agent, its run, all or
 * nothing; or an occurrence of the open ticket of its problem; and announces it to dashboards. Returns it with the
 * response body for a token (interface section 2.3; contract section 8), or undefined if another request with the same
 * Idempotency-Key was faster, or the delivery already has its card. Throws the refusals of contract section 2, steps 7
 * and 8; for a person or an app every invalid place is `column_not_found`.
 */
export async function writeTicket(
  deps: Deps,
  author: Author,
  ticket: NewTicket,
  idempotency?: Idempotency,
): Promise<Written | undefined> {
  const request = {
    organisation_id: author.organisationId,
    token_id: author.kind === "token" ? author.id : undefined,
    user_id: author.kind === "person" ? author.id : undefined,
    author_name: author.name,
    app_id: author.kind === "app" ? author.id : undefined,
    event_id: author.kind === "app" ? author.eventId : undefined,
    delivery_id: author.kind === "app" ? author.deliveryId : undefined,
    reaches_all: author.kind === "token" && author.reachesAllProjects,
    title: ticket.title,
    description: ticket.description ?? "",
    project_id: ticket.projectId,
    board_id: ticket.boardId,
    column_id: ticket.columnId,
    priority: ticket.priority ?? "none",
    assignee_user_id: ticket.assigneeUserId,
    agent_repository_id: ticket.agentRepositoryId,
    starts_at: ticket.startsAt,
    due_at: ticket.dueAt,
    labels: ticket.labels && [...new Set(ticket.labels)],
    created_at: deps.clock.now(),
    idempotency_key: idempotency?.key,
    request_sha256: idempotency && (`\\x${idempotency.requestSha256.toString("hex")}` as const),
    person_key: author.kind === "person" ? author.key : undefined,
    base_url: deps.urls.base,
  };
  const { problem } = ticket;
  const written =
    problem === undefined
      ? await file(deps, fileTickets, request)
      : await file(deps, fileOccurrences, { ...request, problem });
  if (!written) return undefined;
  const { refusal, id, board_id: boardId, column_id: columnId, body, run_id: runId } = written;
  if (refusal) throw new Refusal(refusal);
  if (id === null || body === null || boardId === null || columnId === null) return undefined;
  const isNew = !("is_new" in written) || written.is_new === true;
  deps.announce(author.organisationId, {
    kind: isNew ? "ticket.filed" : "ticket.changed",
    ticketId: id,
    boardId,
    columnId,
  });
  if (runId) deps.announce(author.organisationId, { kind: "run.changed", runId, ticketId: id });
  if (isNew && ticket.assigneeUserId) {
    deps.announce(author.organisationId, { kind: "notices.changed", userId: ticket.assigneeUserId.toLowerCase() });
  }
  return { id, body, isNew };
}

type Statement<Request, Row> = {
  alone: (pool: Deps["pool"], request: Request) => Promise<Row | undefined>;
  together: (pool: Deps["pool"], request: Request) => Promise<Row | undefined>;
};

/** Runs a filing statement, batched with concurrent ones; undefined if another request holds the Idempotency-Key. */
export async function file<
  Request extends { idempotency_key?: string | null | undefined; person_key?: string | null | undefined },
  Row,
>({ pool }: Deps, statement: Statement<Request, Row>, request: Request): Promise<Row | undefined> {
  const answer = await statement.together(pool, request).catch((error: unknown) => {
    // A referenced row was deleted after it was found, its delivery filed a card at the same moment, or its key was
    // taken.
    if (!isForeignKeyViolation(error) && !isUniqueViolation(error)) throw error;
    return statement.alone(pool, request).catch((again: unknown) => {
      if ((request.idempotency_key ?? request.person_key) == null || !isUniqueViolation(again)) throw again;
      return null;
    });
  });
  if (answer === undefined) throw new Error("a ticket was not answered");
  return answer ?? undefined;
}
