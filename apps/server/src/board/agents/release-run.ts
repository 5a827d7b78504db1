import type { ListedRun } from "@lodge/contract/dashboard/runs";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { showRun } from "./list-runs.ts";

const forPeople = ["untrusted_input", "run_limit", "token_budget"];

/** Queues a run that waits for approval, in the name of the person. Throws `run_not_found` or `run_not_held`. */
export async function releaseRun(deps: Deps, actor: Actor, runId: string): Promise<ListedRun> {
  const { organisationId, userId, name } = actor;
  const released = await deps.db
    .updateTable("agent_runs")
    .set({
      state: "queued",
      reason: null,
      token_id: null,
      changed_at: deps.clock.now(),
      changed_by_user_id: userId,
      changed_by_name: name,
    })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", runId)
    .where("state", "=", "held")
    .where("reason", "in", forPeople)
    .returning("id")
    .executeTakeFirst();
  const run = await showRun(deps.db, organisationId, runId);
  if (!released) throw new Refusal("run_not_held");
  deps.announce(organisationId, { kind: "run.changed", runId: run.id, ticketId: run.ticket.id });
  return run;
}
