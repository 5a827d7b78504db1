import { batchedStatement } from "../../platform/database/batched-statement.ts";
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

/**
 * Files tickets that name a problem (contract section 8): each creates a ticket, or counts as an occurrence of the open
 * one. The unique index of open problems decides, so of any number of concurrent requests, in one batch or several, one
 * creates the ticket. Requests of one batch for one problem become one row with several occurrences. History gets one
 * entry for occurrences an hour.
 *
 * An Idempotency-Key that another request holds is an error (`isUniqueViolation`), which rolls the occurrence back.
 */
export const fileOccurrences = batchedStatement({
  name: "file_occurrences",
  columns: { ...newTicketColumns, problem: "text" },
  row: { ...writtenColumns, is_new: "boolean?" },
  text: (request) => `with ${checkedSql(request)}, occurring as materialized (
    select checked.*, row_number() over same as rank, count(*) over (same rows between unbounded preceding and unbounded following) as times
    from checked where refusal is null and ${undeliveredSql}
    window same as (partition by organisation_id, found_project_id, problem order by n)
  ), ticket as (
    insert into tickets (${ticketNamesSql}, problem, problem_project_id, occurrences, occurred_at, occurrence_noted_at,
      previous_ticket_id)
    select ${ticketValuesSql}, problem, found_project_id, times, created_at, created_at, (
      select previous.id from tickets previous
      where previous.organisation_id = occurring.organisation_id
        and previous.problem_project_id = occurring.found_project_id and previous.problem = occurring.problem
      order by previous.id desc limit 1)
    from occurring where rank = 1 order by organisation_id, found_project_id, problem
    on conflict (organisation_id, problem_project_id, problem)
      where problem is not null and archived_at is null and done_at is null
    do update set occurrences = tickets.occurrences + excluded.occurrences,
      occurred_at = greatest(tickets.occurred_at, excluded.occurred_at),
      occurrence_noted_at = case
        when tickets.occurrence_noted_at at time zone 'UTC' > (excluded.occurred_at at time zone 'UTC') - interval '1 hour'
          then tickets.occurrence_noted_at
        else excluded.occurred_at end,
      delivery_id = coalesce(excluded.delivery_id, tickets.delivery_id)
    returning new.organisation_id, new.problem_project_id, new.problem, new.id, new.title, new.column_id, new.created_at,
      new.occurrences, new.previous_ticket_id, old.id is null as is_new,
      old.occurrence_noted_at < new.occurrence_noted_at as is_noted
  ), answered as materialized (
    select occurring.n, occurring.organisation_id, token_id, idempotency_key, request_sha256, occurring.created_at,
      ticket.id, place.board_id, ticket.column_id, is_new and rank = 1 as is_new, body.*
    from occurring
    join ticket on ticket.organisation_id = occurring.organisation_id
      and ticket.problem_project_id = occurring.found_project_id and ticket.problem = occurring.problem
    cross join lateral (
      select coalesce((
        select board_id from columns
        where columns.organisation_id = ticket.organisation_id and columns.id = ticket.column_id), found_board_id) as board_id
    ) place
    cross join lateral (select ${bodySql(
      {
        id: "ticket.id",
        title: "ticket.title",
        project: "found_project_id",
        board: "place.board_id",
        column: "ticket.column_id",
        createdAt: "ticket.created_at",
        baseUrl: "base_url",
      },
      `,
        ticket.occurrences - times + rank as "occurrence", previous_ticket_id as "previousId"`,
    )} as body) body
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, response_status,
      created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, case when is_new then 201 else 200 end,
      created_at
    from answered where idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
  ), filed as materialized (
    select occurring.*, ticket.previous_ticket_id from occurring join ticket using (id) where is_new
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_user_id, actor_name, details,
      created_at)
    select organisation_id, id, 'ticket.filed', token_id, user_id, author_name,
      ${originSql} || case when previous_ticket_id is null then '{}'::jsonb
        else jsonb_build_object('previousTicketId', previous_ticket_id) end, created_at
    from filed
    union all
    select occurring.organisation_id, ticket.id, 'ticket.occurred', token_id, user_id, author_name,
      ${originSql} || jsonb_build_object('occurrence', ticket.occurrences), occurring.created_at
    from occurring join ticket on ticket.organisation_id = occurring.organisation_id
      and ticket.problem_project_id = occurring.found_project_id and ticket.problem = occurring.problem
    where is_noted and rank = times
  ), ${labelledSql}, ${assignedSql}
  select checked.n, checked.refusal, answered.id, answered.board_id, answered.column_id, answered.body, answered.is_new,
    case when answered.is_new then run.id end as run_id
  from checked left join answered using (n) left join run on run.ticket_id = answered.id`,
});
