import { runsOfTicketMax } from "@lodge/contract/limits";

/** The states in which a run is open. A ticket has at most one open run. */
export const openStatesSql = "('queued', 'held', 'running', 'awaiting_input')";

/**
 * The statement that writes the agent's run on a ticket, in the transaction that assigns it (interface section 4.1),
 * and returns its id and ticket_id. `ticket` names a CTE with the organisation_id, id, token_id, user_id, author_name,
 * is_untrusted and at of each assigned ticket: who assigned it, when, and whether its text came with a report. A ticket
 * with an open run gets no other. The run is held if a person must look first or no credit is left; credits are checked
 * again when it starts (docs/decisions/0006-a-credit-is-reserved-when-a-run-starts.md).
 */
export const queueRunSql = (ticket: string) => `
  insert into agent_runs (organisation_id, ticket_id, state, reason, token_id, requested_by_user_id, changed_by_user_id, changed_by_name,
    changed_at, created_at)
  select ${ticket}.organisation_id, ${ticket}.id, case when held.reason is null then 'queued' else 'held' end, held.reason,
    ${ticket}.token_id, ${ticket}.user_id, ${ticket}.user_id, ${ticket}.author_name, ${ticket}.at, ${ticket}.at
  from ${ticket} cross join lateral (
    select case
      when ${ticket}.is_untrusted then 'untrusted_input'
      when ${runsOfTicketMax} <= (
        select count(*) from agent_runs
        where agent_runs.organisation_id = ${ticket}.organisation_id and agent_runs.ticket_id = ${ticket}.id)
        then 'run_limit'
      when (select credits from organisations where organisations.id = ${ticket}.organisation_id) <= (
        select count(*) from agent_runs
        where agent_runs.organisation_id = ${ticket}.organisation_id and agent_runs.state = 'queued')
        then 'no_credits'
    end as reason) held
  on conflict (organisation_id, ticket_id) where state in ${openStatesSql} do nothing
  returning id, ticket_id`;
