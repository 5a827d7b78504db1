import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Runner } from "./authenticate-runner.ts";
import { type HeldRun, isHeldBy } from "./held-run.ts";

/** Asks people a question: the run awaits input until one of them comments on its ticket. Throws `lease_lost`. */
export async function askForInput(deps: Deps, runner: Runner, held: HeldRun, text: string): Promise<void> {
  const now = deps.clock.now();
  const { rows } = await sql<{ id: string; ticketId: string }>`
    update agent_runs set state = 'awaiting_input', question = ${text}, asked_at = ${now}, changed_at = ${now}
    where ${isHeldBy(runner, held)}
    returning id, ticket_id as "ticketId"`.execute(deps.db);
  const [run] = rows;
  if (!run) throw new Refusal("lease_lost");
  deps.announce(runner.organisationId, { kind: "run.changed", runId: run.id, ticketId: run.ticketId });
}
