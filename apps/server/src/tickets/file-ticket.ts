import { createHash } from "node:crypto";
import type { ErrorCode } from "@lodge/contract/errors";
import type { FileTicket } from "@lodge/contract/tickets";
import { queueRunSql } from "../agents/queue-run.ts";
import { takeCreditSql } from "../organisations/take-credit.ts";
import { batchedStatement } from "../platform/database/batched-statement.ts";
import { isForeignKeyViolation } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import type { Replay, Token } from "../tokens/authenticate-token.ts";
import { findReplay } from "./find-replay.ts";

type PlaceRefusal = Extract<
  ErrorCode,
  | "project_required"
  | "project_not_found"
  | "board_not_found"
  | "column_not_found"
  | "invalid_date_range"
  | "not_a_member"
  | "invalid_agent_repository"
>;

type Request = {
  organisation_id: string;
  token_id: string;
  author_name: string;
  reaches_all: boolean;
  title: string;
  description: string;
  project_id: string | undefined;
  board_id: string | undefined;
  column_id: string | undefined;
  priority: string;
  assignee_user_id: string | null | undefined;
  agent_repository_id: string | null | undefined;
  starts_at: string | null | undefined;
  due_at: string | null | undefined;
  created_at: Date;
  idempotency_key: string | undefined;
  request_sha256: string | undefined;
  base_url: string;
};

/** Narrows an indexed id to the one that was named; where none was, to any. An `or` here would read the whole table. */
const isNamed = (id: string, named: string) => `${id} between
  coalesce(${named}, '00000000-0000-0000-0000-000000000000') and coalesce(${named}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;

/**
 * Finds the places of tickets, checks what they refer to, and writes them with all that goes with them: one statement, so
 * one transaction and one round trip. Where it refuses, or another request holds the Idempotency-Key, it writes nothing.
 * The answer's body is put together here because the idempotency record keeps the very bytes. Keys are taken in order.
 * One credit is taken at the most: a ticket with an assignee is not filed together with others.
 */
const fileTickets = batchedStatement<
  Request,
  { refusal: PlaceRefusal | null; id: string; board_id: string; column_id: string; body: string | null }
>(
  "file_tickets",
  `with placed as materialized (
    select request.*, uuidv7() as id, reached.projects, reached.project_id as found_project_id,
      board.id as found_board_id, board_column.id as found_column_id
    from json_to_recordset($1) as request(n integer, organisation_id uuid, token_id uuid, author_name text,
      reaches_all boolean, title text, description text, project_id uuid, board_id uuid, column_id uuid, priority text,
      assignee_user_id uuid, agent_repository_id uuid, starts_at date, due_at date, created_at timestamptz,
      idempotency_key text, request_sha256 bytea, base_url text)
    cross join lateral (
      select count(*) as projects, (array_agg(id))[1] as project_id from (
        select project_id as id from token_projects
        where not request.reaches_all and organisation_id = request.organisation_id and token_id = request.token_id
          and (request.project_id is null or project_id = request.project_id)
        union all
        select id from projects
        where request.reaches_all and organisation_id = request.organisation_id
          and ${isNamed("id", "request.project_id")}
        limit 2) project
    ) reached
    left join lateral (
      select id from boards
      where organisation_id = request.organisation_id and project_id = reached.project_id
        and (request.board_id is null or id = request.board_id)
      order by position, id limit 1
    ) board on true
    left join lateral (
      select id from columns
      where organisation_id = request.organisation_id and columns.board_id = board.id
        and (request.column_id is null or id = request.column_id)
      order by position, id limit 1
    ) board_column on true
  ), checked as materialized (
    select placed.*, answer.body,
      case
        when projects > 1 then 'project_required'
        when projects = 0 then 'project_not_found'
        when found_board_id is null then 'board_not_found'
        when found_column_id is null then 'column_not_found'
        when starts_at > due_at then 'invalid_date_range'
        when assignee_user_id is not null and not exists (
          select from members
          where members.organisation_id = placed.organisation_id and user_id = assignee_user_id) then 'not_a_member'
        when agent_repository_id is not null and not exists (
          select from repositories
          where repositories.organisation_id = placed.organisation_id and repositories.id = agent_repository_id
            and repositories.project_id = found_project_id) then 'invalid_agent_repository'
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
      agent_repository_id, starts_at, due_at, author_token_id, author_name, created_at)
    select organisation_id, id, found_column_id, replace(id::text, '-', ''), title, description, priority,
      assignee_user_id, agent_repository_id, starts_at, due_at, token_id, author_name, created_at
    from checked
    where refusal is null and (idempotency_key is null or body in (select response_body from remembered))
    returning id
  ), filed as materialized (
    select checked.* from checked join ticket using (id)
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_name, created_at)
    select organisation_id, id, 'ticket.filed', token_id, author_name, created_at from filed
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
);

/**
 * Files a ticket with its activity, its idempotency record and, if it goes to the agent, its run: all of it or nothing.
 * Returns the body of the answer as the bytes to send (interface section 2.3), and whether it was filed just now or
 * another request with the same Idempotency-Key was faster. Throws the refusals of contract section 2, steps 7 and 8.
 */
export async function fileTicket(
  deps: Deps,
  token: Token,
  input: FileTicket,
  idempotency: { key: string; requestSha256: Buffer } | undefined,
): Promise<{ body: string } | { replay: Replay }> {
  const file = input.assigneeUserId ? fileTickets.alone : fileTickets.together;
  const request = {
    organisation_id: token.organisationId,
    token_id: token.id,
    author_name: token.name,
    reaches_all: token.reachesAllProjects,
    title: input.title,
    description: input.description ?? "",
    project_id: input.projectId,
    board_id: input.boardId,
    column_id: input.columnId,
    priority: input.priority ?? "none",
    assignee_user_id: input.assigneeUserId,
    agent_repository_id: input.agentRepositoryId,
    starts_at: input.startsAt,
    due_at: input.dueAt,
    created_at: deps.clock.now(),
    idempotency_key: idempotency?.key,
    request_sha256: idempotency && `\\x${idempotency.requestSha256.toString("hex")}`,
    base_url: deps.urls.base,
  };
  const outcome = await file(deps.pool, request).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    return fileTickets.alone(deps.pool, request); // what it was to refer to was deleted after it had been found
  });
  if (outcome?.refusal) throw new Refusal(outcome.refusal);
  if (outcome?.body) {
    const { id: ticketId, board_id: boardId, column_id: columnId } = outcome;
    deps.announce(token.organisationId, { kind: "ticket.filed", ticketId, boardId, columnId });
    return { body: outcome.body };
  }
  // The key was taken while this request ran: it waited for the other one, and replays it.
  const replay = idempotency && (await findReplay(deps, token, idempotency.key));
  if (!replay) throw new Error("a ticket was neither refused, filed nor replayed");
  return { replay };
}

/** What an idempotency record keeps of a request's body, to tell a retry from another request. */
export const hashRequestBody = (body: Buffer): Buffer => createHash("sha256").update(body).digest();
