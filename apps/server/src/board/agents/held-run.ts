import { type RawBuilder, sql } from "kysely";
import type { Runner } from "./authenticate-runner.ts";

/** The run that a runner writes to, and the fencing number of its lease. */
export type HeldRun = { runId: string; fence: number };

/**
 * The condition that a runner holds a run. Every statement that writes for the runner has it, so that no late write
 * succeeds.
 */
export const isHeldBy = (runner: Runner, { runId, fence }: HeldRun): RawBuilder<unknown> => sql`
  agent_runs.organisation_id = ${runner.organisationId} and agent_runs.id = ${runId} and agent_runs.fence = ${fence}
  and agent_runs.runner_id = ${runner.id} and agent_runs.state in ('running', 'awaiting_input')`;
