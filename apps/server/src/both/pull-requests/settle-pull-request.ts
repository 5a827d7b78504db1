import type { SeenPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Runner } from "../../board/agents/authenticate-runner.ts";
import { recordPullRequest } from "../../board/agents/record-pull-request.ts";
import { toldThreadsSql } from "../../board/agents/take-pull-requests.ts";
import { finishTicket } from "../../board/tickets/finish-ticket.ts";
import { postMessage } from "../../inbox/replies/post-message.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

const threadsMax = 1_000;

/**
 * Applies the state of a run's pull request: a merge finishes the card, and the first release is announced to reporters
 * in the name of the agent, if the app announces fixes. Applying it again changes nothing. Throws `run_not_found`.
 */
export async function settlePullRequest(
  deps: Deps,
  { organisationId }: Runner,
  runId: string,
  seen: SeenPullRequest,
): Promise<void> {
  // Before it is recorded, because nobody checks again afterwards; a pull request is announced only once.
  if (seen.state === "merged" && seen.version !== undefined)
    await tellReporters(deps, organisationId, runId, seen.version);
  const at = deps.clock.now();
  const recorded = await deps.db.transaction().execute(async (tx) => {
    const run = await recordPullRequest(tx, { organisationId, runId, at }, seen);
    if (!run) throw new Refusal("run_not_found");
    const { ticketId, agentUserId: userId, agentName: name } = run;
    if (run.isMergedNow) await finishTicket(tx, { organisationId, ticketId, by: { userId, name }, at });
    return run;
  });
  deps.announce(organisationId, { kind: "run.changed", runId, ticketId: recorded.ticketId });
}

async function tellReporters(deps: Deps, organisationId: string, runId: string, version: string) {
  const { rows } = await sql<{ id: string; userId: string; name: string; firstRunId: string }>`
    select threads.id, organisations.agent_user_id as "userId", users.name, (
        -- A later run on the same branch has the pull request of an earlier one.
        select min(same.id::text)::uuid from agent_runs same
        where same.organisation_id = run.organisation_id and same.ticket_id = run.ticket_id
          and same.pull_request_url = run.pull_request_url) as "firstRunId"
    from agent_runs run
    join organisations on organisations.id = run.organisation_id
    join users on users.id = organisations.agent_user_id
    cross join lateral (select threads.id from ${sql.raw(toldThreadsSql("run"))}) threads
    where run.organisation_id = ${organisationId} and run.id = ${runId} and run.fixed_in is null
      and run.pull_request_state is not null
    order by threads.id desc limit ${threadsMax}`.execute(deps.db);
  for (const { id, userId, name, firstRunId } of rows) {
    const message = { text: `This is fixed in version ${version}.`, messageId: firstRunId };
    await postMessage(deps, { organisation_id: organisationId }, id, { userId, name }, message).catch(
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error; // it was closed meanwhile
      },
    );
  }
}
