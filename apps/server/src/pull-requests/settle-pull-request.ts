import type { SeenPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Runner } from "../agents/authenticate-runner.ts";
import { recordPullRequest } from "../agents/record-pull-request.ts";
import { toldThreadsSql } from "../agents/take-pull-requests.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { postMessage } from "../replies/post-message.ts";
import { finishTicket } from "../tickets/finish-ticket.ts";

const threadsMax = 1_000;

/**
 * Does what follows from a run's pull request: its merge finishes the card, and its first release is told to the reporters
 * in the name of the agent, where their apps tell of fixes. Seen again, it does nothing more. Throws `run_not_found`.
 */
export async function settlePullRequest(
  deps: Deps,
  { organisationId }: Runner,
  runId: string,
  seen: SeenPullRequest,
): Promise<void> {
  // Before it is recorded, after which nobody looks again; nobody is told twice by the same run.
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
  const { rows } = await sql<{ id: string; userId: string; name: string }>`
    select threads.id, organisations.agent_user_id as "userId", users.name
    from agent_runs run
    join organisations on organisations.id = run.organisation_id
    join users on users.id = organisations.agent_user_id
    cross join lateral (select threads.id from ${sql.raw(toldThreadsSql("run"))}) threads
    where run.organisation_id = ${organisationId} and run.id = ${runId} and run.fixed_in is null
      and run.pull_request_state is not null
    order by threads.id desc limit ${threadsMax}`.execute(deps.db);
  for (const { id, userId, name } of rows) {
    const message = { text: `This is fixed in version ${version}.`, messageId: runId };
    await postMessage(deps, { organisation_id: organisationId }, id, { userId, name }, message).catch(
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error; // it was closed meanwhile
      },
    );
  }
}
