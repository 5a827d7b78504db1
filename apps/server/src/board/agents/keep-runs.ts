import { runLeaseSeconds } from "@lodge/contract/limits";
import { sql } from "kysely";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { type Repeating, repeat } from "../../platform/repeat.ts";
import { refundFailure } from "./end-run.ts";
import { startedToday } from "./take-run.ts";

const pollMs = 1_000;
/** A run that three runners have lost is not given to a fourth. */
const takesMax = 3;

/** Expires the leases of runners that are gone, and releases held runs, until it is stopped. Runs in each worker. */
export function keepRuns(deps: Deps): Repeating {
  // If a runner could not reach a server, or a server its database, it has the time of a lease to return.
  let watchedSince = performance.now();
  return repeat(
    pollMs,
    async () => {
      const [due] = await findDue(deps.pool, { now: deps.clock.now() });
      if (due?.expired && performance.now() - watchedSince > runLeaseSeconds * 1000) await expireLeases(deps);
      if (due?.held) await releaseHeldRuns(deps);
    },
    (error) => {
      deps.log.warn({ err: error }, "could not expire leases or release held runs");
      watchedSince = performance.now();
    },
  );
}

/** The due runs. A worker asks every second; usually there are none. */
const findDue = preparedStatement({
  name: "find_due_runs",
  parameters: { now: "timestamptz" },
  row: { expired: "boolean", held: "boolean" },
  text: ({ now }) => `select exists (select from agent_runs where lease_expires_at < ${now}) as expired,
    exists (
      select from agent_runs where state = 'held' and reason in ('no_credits', 'no_repository', 'token_budget')) as held`,
});

type Changed = { organisation_id: string; id: string; ticket_id: string };

const tell = (deps: Deps, runs: readonly Changed[]) => {
  for (const { organisation_id, id, ticket_id } of runs) {
    deps.announce(organisation_id, { kind: "run.changed", runId: id, ticketId: ticket_id });
  }
};

/** Queues every run whose lease has expired again, or, if it was lost three times, fails it and returns its credit. */
export async function expireLeases(deps: Deps): Promise<void> {
  const at = deps.clock.now();
  const expired = await deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<Changed & { is_lost: boolean }>`
      with expired as (
        select organisation_id, id from agent_runs where lease_expires_at < ${at}
        order by organisation_id, id for no key update skip locked
      )
      update agent_runs set state = case when fence >= ${takesMax} then 'failed' else 'queued' end,
        reason = case when fence >= ${takesMax} then 'runner_lost' end,
        ended_at = case when fence >= ${takesMax} then ${at}::timestamptz end,
        changed_at = ${at}, lease_expires_at = null, question = null
      from expired where expired.organisation_id = agent_runs.organisation_id and expired.id = agent_runs.id
      returning agent_runs.organisation_id, agent_runs.id, ticket_id, agent_runs.state = 'failed' as is_lost`.execute(
      tx,
    );
    for (const { organisation_id: organisationId, id: runId } of rows.filter(({ is_lost }) => is_lost)) {
      await refundFailure(tx, "runner_lost", { organisationId, runId, at });
    }
    return rows;
  });
  tell(deps, expired);
}

/**
 * Queues the oldest held runs that now have credits, a repository or a new day's budget, and no more than there are
 * credits.
 */
export async function releaseHeldRuns(deps: Deps): Promise<void> {
  const at = deps.clock.now();
  const { rows } = await sql<Changed>`
    with waiting as (
      select run.organisation_id, run.id, organisations.credits - (
          select count(*) from agent_runs queued
          where queued.organisation_id = run.organisation_id and queued.state = 'queued')
        - row_number() over (partition by run.organisation_id order by run.id) as left_over
      from agent_runs run
      join organisations on organisations.id = run.organisation_id and organisations.credits > 0
      join tickets t on t.organisation_id = run.organisation_id and t.id = run.ticket_id
      where run.state = 'held' and (run.reason = 'no_credits' or run.reason = 'token_budget' and not exists (
        select from tokens
        where tokens.organisation_id = run.organisation_id and tokens.id = run.token_id
          and tokens.runs_per_day <= (${startedToday(sql`tokens.organisation_id`, sql`tokens.id`, at)})
      ) and not exists ( -- one at a time, so that none goes on only to be held again
        select from agent_runs earlier
        where earlier.organisation_id = run.organisation_id and earlier.token_id = run.token_id
          and (earlier.state = 'queued' or earlier.state = 'held' and earlier.reason = run.reason and earlier.id < run.id)
      ) or run.reason = 'no_repository' and (
        t.agent_repository_id is not null or 1 = (
          select count(*) from columns
          join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
          join repositories on repositories.organisation_id = boards.organisation_id
            and repositories.project_id = boards.project_id
          where columns.organisation_id = t.organisation_id and columns.id = t.column_id)))
    )
    update agent_runs set state = 'queued', reason = null, changed_at = ${at}
    from waiting
    where waiting.left_over >= 0 and agent_runs.organisation_id = waiting.organisation_id and agent_runs.id = waiting.id
      and agent_runs.state = 'held'
    returning agent_runs.organisation_id, agent_runs.id, agent_runs.ticket_id`.execute(deps.db);
  tell(deps, rows);
}
