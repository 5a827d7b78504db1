import type { ListedRun } from "@lodge/contract/dashboard/runs";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { cancelRunById } from "./end-run.ts";
import { showRun } from "./list-runs.ts";

/** Cancels a run; its runner stops at its next heartbeat. Throws `run_not_found` or `run_ended`. */
export async function cancelRun(deps: Deps, actor: Actor, runId: string): Promise<ListedRun> {
  const { organisationId } = actor;
  const cancelled = await deps.db
    .transaction()
    .execute((tx) => cancelRunById(tx, { organisationId, runId, by: actor, at: deps.clock.now() }));
  const run = await showRun(deps.db, organisationId, runId);
  if (!cancelled) throw new Refusal("run_ended");
  deps.announce(organisationId, { kind: "run.changed", runId: run.id, ticketId: run.ticket.id });
  return run;
}
