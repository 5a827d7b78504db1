import type { ListedRun } from "@lodge/contract/dashboard/runs";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { showRun } from "./list-runs.ts";

/**
 * Has a runner try again to open a pull request that the forge refused. Throws `run_not_found` or
 * `pull_request_not_refused`.
 */
export async function retryPullRequest(deps: Deps, { organisationId }: Actor, runId: string): Promise<ListedRun> {
  const wanted = await deps.db
    .updateTable("agent_runs")
    .set({ pull_request_wanted_at: deps.clock.now(), pull_request_checked_at: null })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", runId)
    .where("pull_request_error", "is not", null)
    .where("pull_request_wanted_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  const run = await showRun(deps.db, organisationId, runId);
  if (!wanted) throw new Refusal("pull_request_not_refused");
  deps.announce(organisationId, { kind: "run.changed", runId: run.id, ticketId: run.ticket.id });
  return run;
}
