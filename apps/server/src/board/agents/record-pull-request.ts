import type { SeenPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** A run after a runner has checked its pull request. */
type Recorded = { ticketId: string; isMergedNow: boolean; agentUserId: string; agentName: string };

/**
 * Stores the state of a run's pull request as a runner saw it. A merged or closed pull request stays so, and the first
 * release is kept. Returns undefined if the organisation has no such run with a pull request.
 */
export async function recordPullRequest(
  tx: Transaction,
  { organisationId, runId, at }: { organisationId: string; runId: string; at: Date },
  { state, version }: SeenPullRequest,
): Promise<Recorded | undefined> {
  const { rows } = await sql<Recorded>`
    update agent_runs set
      pull_request_state = case when agent_runs.pull_request_state = 'merged' then 'merged' else ${state} end,
      merged_at = case when ${state} = 'merged' then coalesce(agent_runs.merged_at, ${at}) else agent_runs.merged_at end,
      fixed_in = case when ${state} = 'merged' then coalesce(agent_runs.fixed_in, ${version ?? null})
        else agent_runs.fixed_in end
    from organisations join users on users.id = organisations.agent_user_id
    where organisations.id = agent_runs.organisation_id and agent_runs.organisation_id = ${organisationId}
      and agent_runs.id = ${runId} and agent_runs.pull_request_state is not null
    returning agent_runs.ticket_id as "ticketId", old.merged_at is null and new.merged_at is not null as "isMergedNow",
      organisations.agent_user_id as "agentUserId", users.name as "agentName"`.execute(tx);
  return rows[0];
}
