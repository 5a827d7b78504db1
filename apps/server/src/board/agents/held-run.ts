import { type RawBuilder, sql } from "kysely";
import type { Runner } from "./authenticate-runner.ts";

/** Which run a runner writes to, and under which number it has taken it. */
export type HeldRun = { runId: string; fence: number };

/** The condition that a runner holds a run: in each statement that writes in its name, so that none comes too late. */
export const isHeldBy = (runner: Runner, { runId, fence }: HeldRun): RawBuilder<unknown> => sql`
  agent_runs.organisation_id = ${runner.organisationId} and agent_runs.id = ${runId} and agent_runs.fence = ${fence}
  and agent_runs.runner_id = ${runner.id} and agent_runs.state in ('running', 'awaiting_input')`;
