import type { ErrorCode } from "@lodge/contract/errors";
import { queueRunSql } from "../agents/queue-run.ts";
import { takeCreditSql } from "../organisations/take-credit.ts";
import { batchedStatement } from "../platform/database/batched-statement.ts";
import { isForeignKeyViolation, isUniqueViolation } from "../platform/database/database.ts";
import { narrowed } from "../platform/database/statements.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { brokenRulesSql, type RuleRefusal } from "./check-rules.ts";

type PlaceRefusal = Extract<
  ErrorCode,
  "project_required" | "project_not_found" | "board_not_found" | "column_not_found"
>;

/** Narrows an indexed id to the one that was named; where none was, to any. An `or` here would read the whole table. */
const isNamed = (id: string, named: string) => `${id} between
  coalesce(${named}, '00000000-0000-0000-0000-000000000000') and coalesce(${named}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;

/**
 * Finds the places of tickets, checks what they refer to, and writes them with all that goes with them: one statement, so
 * one transaction and one round trip. Where it refuses, another request holds the Idempotency-Key, or the delivery has its
 * card, it writes nothing. A token's place begins with the projects that it reaches; that of a person or an app is a
 * column or a board of the organisation.
 * The answer's body is put together here because the idempotency record keeps the very bytes. Keys are taken in order.
 * One credit is taken at the most: a ticket with an assignee is not filed together with others.
 */
const fileTickets = batchedStatement({
  name: "file_tickets",
  columns: {
    organisation_id: "uuid",
    token_id: "uuid?",
    user_id: "uuid?",
    author_name: "text",
    app_id: "uuid?",
    event_id: "uuid?",
    delivery_id: "uuid?",
    reaches_all: "boolean",
    title: "text",
    description: "text",
    project_id: "uuid?",
    board_id: "uuid?",
    column_id: "uuid?",
    priority: "text",
    assignee_user_id: "uuid?",
    agent_repository_id: "uuid?",
    starts_at: "date?",
    due_at: "date?",
    created_at: "timestamptz",
    idempotency_key: "text?",
    request_sha256: "bytea?",
    base_url: "text",
  },
  row: {
    refusal: narrowed<PlaceRefusal | RuleRefusal | null>("text?"),
    id: "uuid",
    board_id: "uuid?",
    column_id: "uuid?",
    body: "text?",
  },
  text: (request) => `with placed as materialized (
    select request.*, uuidv7() as id, reached.projects, reached.project_id as found_project_id,
      board.id as found_board_id, board_column.id as found_column_id,
      board_column.is_done
    from ${request}
    cross join lateral (
      select count(*) as projects, any_value(id) as project_id, any_value(board_id) as board_id from (
        select project_id as id, request.board_id from token_projects
        where not request.reaches_all and organisation_id = request.organisation_id and token_id = request.token_id
          and (request.project_id is null or project_id = request.project_id)
        union all
        select id, request.board_id from projects
        where request.reaches_all and organisation_id = request.organisation_id
          and ${isNamed("id", "request.project_id")}
        union all
        select project_id, boards.id from boards
        where request.token_id is null and organisation_id = request.organisation_id
          and boards.id = coalesce(request.board_id, (
            select columns.board_id from columns
            where organisation_id = request.organisation_id and columns.id = request.column_id))
        limit 2) project
    ) reached
    left join lateral (
      select id from boards
      where organisation_id = request.organisation_id and project_id = reached.project_id
        and (reached.board_id is null or id = reached.board_id)
      order by position, id limit 1
    ) board on true
    left join lateral (
      select id, is_done from columns
      where organisation_id = request.organisation_id and columns.board_id = board.id
        and (request.column_id is null or id = request.column_id)
      order by position, id limit 1
    ) board_column on true
  ), checked as materialized (
    select placed.*, answer.body,
      case
        when projects > 1 then 'project_required'
        when projects = 0 and token_id is not null then 'project_not_found'
        when found_board_id is null and token_id is not null then 'board_not_found'
        when found_column_id is null then 'column_not_found'${brokenRulesSql("placed", "found_project_id")}
      end as refusal
    from placed, lateral (
      select row_to_json(fields)::text as body from (select
        id as "id", title as "title", found_project_id as "projectId", found_board_id as "boardId",
        found_column_id as "columnId",
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        base_url || '/tickets/' || id as "url") fields
    ) answer
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, created_at
    from checked where refusal is null and idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
    on conflict do nothing
    returning response_body
  ), ticket as (
    insert into tickets (organisation_id, id, column_id, position, title, description, priority, assignee_user_id,
      agent_repository_id, starts_at, due_at, author_token_id, author_user_id, author_name, app_id, event_id, delivery_id,
      created_at, done_at)
    select organisation_id, id, found_column_id, replace(id::text, '-', ''), title, description, priority,
      assignee_user_id, agent_repository_id, starts_at, due_at, token_id, user_id, author_name, app_id, event_id,
      delivery_id, created_at, case when is_done then created_at end
    from checked
    where refusal is null and (idempotency_key is null or body in (select response_body from remembered))
      and (delivery_id is null or not exists (
        select from tickets
        where tickets.organisation_id = checked.organisation_id and tickets.delivery_id = checked.delivery_id))
    returning id
  ), filed as materialized (
    select checked.* from checked join ticket using (id)
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_user_id, actor_name, details,
      created_at)
    select organisation_id, id, 'ticket.filed', token_id, user_id, author_name,
      case when event_id is null then '{}'::jsonb
        else jsonb_build_object('origin', 'report', 'appId', app_id, 'eventId', event_id) end, created_at
    from filed
  ), assigned as materialized (
    select filed.organisation_id, filed.id, found_project_id as project_id, agent_repository_id
    from filed join organisations on organisations.id = filed.organisation_id and agent_user_id = assignee_user_id
    where assignee_user_id is not null
  ), credit as (${takeCreditSql("(select organisation_id from assigned)", "true")}
  ), run as (${queueRunSql("assigned", "credit")}
  )
  select checked.n, checked.refusal, checked.id, checked.found_board_id as board_id,
    checked.found_column_id as column_id, filed.body
  from checked left join filed using (id)`,
});

/** Who files a ticket: an API token within its projects, a person, or an app whose report a delivery brings. */
export type Author =
  | { kind: "token"; organisationId: string; id: string; name: string; reachesAllProjects: boolean }
  | { kind: "person"; organisationId: string; id: string; name: string }
  | { kind: "app"; organisationId: string; id: string; name: string; eventId: string; deliveryId: string };

/** A ticket as its author wants it; what is missing is as the interface has it (section 2.2). */
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
};

/**
 * Writes a ticket with its activity, its idempotency record and, if it goes to the agent, its run, all of it or nothing,
 * and tells the dashboards. Returns its id with the body that answers a token (interface section 2.3), or undefined where
 * another request with the same Idempotency-Key was faster, or the delivery has its card already.
 * Throws the refusals of contract section 2, steps 7 and 8; to a person and an app every wrong place is `column_not_found`.
 */
export async function writeTicket(
  deps: Deps,
  author: Author,
  ticket: NewTicket,
  idempotency?: { key: string; requestSha256: Buffer },
): Promise<{ id: string; body: string } | undefined> {
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
    created_at: deps.clock.now(),
    idempotency_key: idempotency?.key,
    request_sha256: idempotency && (`\\x${idempotency.requestSha256.toString("hex")}` as const),
    base_url: deps.urls.base,
  };
  const file = ticket.assigneeUserId ? fileTickets.alone : fileTickets.together;
  const outcome = await file(deps.pool, request).catch((error: unknown) => {
    // What it was to refer to was deleted after it had been found, or its delivery filed a card in the same moment.
    if (!isForeignKeyViolation(error) && !isUniqueViolation(error)) throw error;
    return fileTickets.alone(deps.pool, request);
  });
  if (!outcome) throw new Error("a ticket was not answered");
  const { refusal, id, board_id: boardId, column_id: columnId, body } = outcome;
  if (refusal) throw new Refusal(refusal);
  if (body === null || boardId === null || columnId === null) return undefined;
  deps.announce(author.organisationId, { kind: "ticket.filed", ticketId: id, boardId, columnId });
  return { id, body };
}
