/**
 * The statement that writes the agent's run on a ticket, in the transaction that assigns it (interface section 4.1).
 * `ticket` names a CTE with the organisation_id, id, project_id and agent_repository_id of each assigned ticket, and
 * `credit` one that has a row where a credit was taken. The run works against the repository that was named or, where the
 * project has exactly one, against that one. Without a credit it is held.
 */
export const queueRunSql = (ticket: string, credit: string) => `
  insert into agent_runs (organisation_id, ticket_id, repository_id, state, held_reason)
  select ${ticket}.organisation_id, ${ticket}.id,
    coalesce(${ticket}.agent_repository_id, (
      select min(id::text)::uuid from repositories
      where organisation_id = ${ticket}.organisation_id and project_id = ${ticket}.project_id having count(*) = 1)),
    case when exists (select from ${credit}) then 'queued' else 'held' end,
    case when exists (select from ${credit}) then null else 'no_credits' end
  from ${ticket}`;
