import { createHash } from "node:crypto";
import type { ErrorCode } from "@lodge/contract/errors";
import type { FileTicket } from "@lodge/contract/tickets";
import { queueRunSql } from "../agents/queue-run.ts";
import { takeCreditSql } from "../organisations/take-credit.ts";
import { isForeignKeyViolation, preparedStatement } from "../platform/database.ts";
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

/**
 * Finds the place of a ticket, checks what it refers to, and writes it with all that goes with it: one statement, so one
 * transaction and one round trip. Where it refuses, or another request holds the Idempotency-Key, it writes nothing.
 * The answer's body is put together here because the idempotency record keeps the very bytes.
 */
const fileTicketStatement = preparedStatement<{
  refusal: PlaceRefusal | null;
  id: string;
  board_id: string;
  column_id: string;
  body: string | null;
}>(
  "file_ticket",
  `with request as materialized (
    select $1::uuid as organisation_id, $2::uuid as token_id, $3::text as author_name, $4::boolean as reaches_all,
      $5::text as title, $6::text as description, $7::uuid as project_id, $8::uuid as board_id, $9::uuid as column_id,
      $10::text as priority, $11::uuid as assignee_user_id, $12::uuid as agent_repository_id,
      $13::date as starts_at, $14::date as due_at, $15::timestamptz as created_at,
      $16::text as idempotency_key, $17::bytea as request_sha256, $18::text as base_url, uuidv7() as id
  ), reached as materialized (
    select projects.id from projects, request
    where projects.organisation_id = $1 and ($7::uuid is null or projects.id = $7)
      and ($4 or exists (
        select from token_projects
        where organisation_id = $1 and token_id = $2 and token_projects.project_id = projects.id))
    limit 2
  ), board as materialized (
    select boards.project_id, boards.id from boards, reached
    where organisation_id = $1 and boards.project_id = reached.id and ($8::uuid is null or boards.id = $8)
    order by position, boards.id limit 1
  ), board_column as materialized (
    select columns.id from columns, board
    where organisation_id = $1 and columns.board_id = board.id and ($9::uuid is null or columns.id = $9)
    order by position, columns.id limit 1
  ), checked as materialized (
    select request.*, board.project_id as found_project_id, board.id as found_board_id, board_column.id as found_column_id,
      organisations.agent_user_id = request.assignee_user_id as for_agent,
      case
        when (select count(*) from reached) > 1 then 'project_required'
        when not exists (select from reached) then 'project_not_found'
        when board.id is null then 'board_not_found'
        when board_column.id is null then 'column_not_found'
        when request.starts_at > request.due_at then 'invalid_date_range'
        when request.assignee_user_id is not null and not exists (
          select from members where organisation_id = $1 and user_id = request.assignee_user_id) then 'not_a_member'
        when request.agent_repository_id is not null and not exists (
          select from repositories where organisation_id = $1 and id = request.agent_repository_id
            and repositories.project_id = board.project_id) then 'invalid_agent_repository'
      end as refusal
    from request
    join organisations on organisations.id = $1
    left join board on true
    left join board_column on true
  ), answer as materialized (
    select checked.id, row_to_json(body)::text as body
    from checked, lateral (select
      checked.id as "id", checked.title as "title", found_project_id as "projectId", found_board_id as "boardId",
      found_column_id as "columnId",
      to_char(checked.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
      base_url || '/tickets/' || checked.id as "url") body
    where refusal is null
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, created_at
    from checked join answer using (id) where idempotency_key is not null
    on conflict do nothing
    returning key
  ), ticket as (
    insert into tickets (organisation_id, id, column_id, position, title, description, priority, assignee_user_id,
      agent_repository_id, starts_at, due_at, author_token_id, author_name, created_at)
    select organisation_id, id, found_column_id, replace(id::text, '-', ''), title, description, priority,
      assignee_user_id, agent_repository_id, starts_at, due_at, token_id, author_name, created_at
    from checked
    where refusal is null and (idempotency_key is null or exists (select from remembered))
    returning organisation_id, id
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_name, created_at)
    select organisation_id, id, 'ticket.filed', token_id, author_name, created_at from checked join ticket using (organisation_id, id)
  ), assigned as materialized (
    select checked.organisation_id, checked.id, found_project_id as project_id, agent_repository_id
    from checked join ticket using (organisation_id, id) where for_agent
  ), credit as (${takeCreditSql("$1", "exists (select from assigned)")}
  ), run as (${queueRunSql("assigned", "credit")}
  )
  select checked.refusal, checked.id, found_board_id as board_id, found_column_id as column_id,
    (select body from answer where exists (select from ticket)) as body
  from checked`,
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
  const values = [
    token.organisationId,
    token.id,
    token.name,
    token.reachesAllProjects,
    input.title,
    input.description ?? "",
    input.projectId ?? null,
    input.boardId ?? null,
    input.columnId ?? null,
    input.priority ?? "none",
    input.assigneeUserId ?? null,
    input.agentRepositoryId ?? null,
    input.startsAt ?? null,
    input.dueAt ?? null,
    deps.clock.now(),
    idempotency?.key ?? null,
    idempotency?.requestSha256 ?? null,
    deps.urls.base,
  ];
  const [outcome] = await fileTicketStatement(deps.pool, values).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    return fileTicketStatement(deps.pool, values); // what it was to refer to was deleted after it had been found
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
