import type { ListedRun } from "@lodge/contract/dashboard/runs";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { showRun } from "./list-runs.ts";

/**
 * Asks a runner to retry opening a pull request that the forge refused. Throws `run_not_found` or
 * `pull_request_not_refused`.
 */
export async function retryPullRequest(deps: Deps, { organisationId }: Actor, runId: string): Promise<ListedRun> {
  const wanted = await wantPullRequest(deps.db, organisationId, runId, deps.clock.now());
  const run = await showRun(deps.db, organisationId, runId);
  if (!wanted) throw new Refusal("pull_request_not_refused");
  deps.announce(organisationId, { kind: "run.changed", runId: run.id, ticketId: run.ticket.id });
  return run;
}

/** Marks the refused pull request of a run of the organisation for a retry. False if none was refused. */
export async function wantPullRequest(db: Database, organisationId: string, runId: string, at: Date): Promise<boolean> {
  const wanted = await db
    .updateTable("agent_runs")
    .set({ pull_request_wanted_at: at, pull_request_checked_at: null })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", runId)
    .where("pull_request_error", "is not", null)
    .where("pull_request_wanted_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return wanted !== undefined;
}
