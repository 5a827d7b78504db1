import { batchedStatement } from "../../platform/database/batched-statement.ts";
import { narrowed } from "../../platform/database/statements.ts";
import { bodySql } from "./new-ticket-sql.ts";
import { foundColumns, type PlaceRefusal, placeColumns, placeRefusalsSql, placeSql } from "./place-sql.ts";

/**
 * Resolves problems (contract section 8): the open ticket of each goes to the top of its board's done column or,
 * without one, of the last column, or into the archive if the board has only one, with its activity. It is then done,
 * wherever it is. If no ticket is open, nothing changes, and the response's id is null.
 *
 * An Idempotency-Key that another request holds is an error (`isUniqueViolation`), which rolls everything back.
 */
export const resolveProblems = batchedStatement({
  name: "resolve_problems",
  columns: {
    ...placeColumns,
    author_name: "text",
    problem: "text",
    created_at: "timestamptz",
    idempotency_key: "text?",
    request_sha256: "bytea?",
    base_url: "text",
  },
  row: {
    refusal: narrowed<PlaceRefusal | null>("text?"),
    id: "uuid?",
    from_column_id: "uuid?",
    board_id: "uuid?",
    column_id: "uuid?",
    is_archived: "boolean?",
    body: "text",
  },
  text: (request) => `with placed as materialized (
    select request.*, ${foundColumns}
    from ${request}${placeSql}
  ), checked as materialized (
    select placed.*,
      case${placeRefusalsSql}
      end as refusal
    from placed
  ), resolving as materialized (
    select distinct on (organisation_id, found_project_id, problem) * from checked where refusal is null
    order by organisation_id, found_project_id, problem, n
  ), open as materialized (
    select resolving.n, resolving.token_id, resolving.author_name, resolving.base_url, resolving.found_project_id,
      resolving.created_at as resolved_at, tickets.organisation_id, tickets.id, was.id as from_column_id,
      was.name as from_name, was.board_id, target.id as target_id, target.name as target_name, target.others = 0 as archives
    from resolving
    join tickets on tickets.organisation_id = resolving.organisation_id
      and tickets.problem_project_id = resolving.found_project_id and tickets.problem = resolving.problem
      and tickets.archived_at is null and tickets.done_at is null
    join columns was on was.organisation_id = tickets.organisation_id and was.id = tickets.column_id
    cross join lateral (
      select id, name, count(*) over () - 1 as others from columns
      where columns.organisation_id = was.organisation_id and columns.board_id = was.board_id
      order by is_done desc, position desc, id desc limit 1
    ) target
  ), resolved as (
    update tickets set column_id = target_id, done_at = resolved_at,
      archived_at = case when archives then resolved_at end,
      position = case when column_id = target_id then position else replace(uuidv7()::text, '-', '') end
    from open
    where tickets.organisation_id = open.organisation_id and tickets.id = open.id
      and tickets.archived_at is null and tickets.done_at is null
    returning tickets.id, tickets.title, tickets.created_at, tickets.occurrences, tickets.previous_ticket_id
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_name, details, created_at)
    select organisation_id, open.id, 'ticket.resolved', token_id, author_name,
      case when from_column_id = target_id then '{}'::jsonb
        else jsonb_build_object('from', from_name, 'to', target_name) end, resolved_at
    from open join resolved using (id)
  ), answered as materialized (
    select checked.n, checked.refusal, checked.organisation_id, checked.token_id, checked.idempotency_key,
      checked.request_sha256, checked.created_at, open.id, open.from_column_id, open.board_id, open.target_id, open.archives,
      coalesce(found.body, '{"id":null}') as body, resolved.id is not null as is_resolved
    from checked
    left join open on open.n = checked.n
    left join resolved on resolved.id = open.id
    left join lateral (select ${bodySql(
      {
        id: "resolved.id",
        title: "resolved.title",
        project: "open.found_project_id",
        board: "open.board_id",
        column: "open.target_id",
        createdAt: "resolved.created_at",
        baseUrl: "open.base_url",
      },
      `,
        resolved.occurrences as "occurrence", resolved.previous_ticket_id as "previousId"`,
    )} as body where resolved.id is not null) found on true
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, response_status,
      created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, 200, created_at
    from answered where refusal is null and idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
  )
  select n, refusal, case when is_resolved then id end as id, from_column_id, board_id, target_id as column_id,
    archives as is_archived, body
  from answered`,
});
