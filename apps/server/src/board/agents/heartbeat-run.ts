import { runLeaseSeconds } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Runner } from "./authenticate-runner.ts";
import { type HeldRun, isHeldBy } from "./held-run.ts";
import { leaseUntil } from "./take-run.ts";
import { ticketNumberSql } from "./ticket-number-sql.ts";

type Kept = { id: string; ticketId: string; went_on: boolean; answer: Answer | null; ticketNumber: string | null };
type Answer = { id: string; author: string; text: string };

/**
 * Extends a lease. A run that awaits input continues as soon as somebody comments on its ticket; every heartbeat
 * returns the answer until the run asks again. Throws `lease_lost`.
 */
export async function heartbeatRun(
  deps: Deps,
  runner: Runner,
  held: HeldRun,
): Promise<{ leaseSeconds: number; answer: Answer | null; ticketNumber: string | null }> {
  const now = deps.clock.now();
  const { rows } = await sql<Kept>`
    with answer as (
      select comments.id, comments.author_name as author, comments.text
      from agent_runs join comments on comments.organisation_id = agent_runs.organisation_id
        and comments.ticket_id = agent_runs.ticket_id and comments.created_at >= agent_runs.asked_at
        and comments.author_user_id is not null
      where ${isHeldBy(runner, held)} and agent_runs.question is not null
      order by comments.id limit 1
    )
    update agent_runs set lease_expires_at = ${leaseUntil(now)},
      state = case when exists (select from answer) then 'running' else agent_runs.state end,
      changed_at = case when agent_runs.state = 'awaiting_input' and exists (select from answer) then ${now}
        else agent_runs.changed_at end
    where ${isHeldBy(runner, held)}
    returning id, ticket_id as "ticketId", old.state <> new.state as went_on,
      (select row_to_json(answer) from answer) as answer,
      ${ticketNumberSql("agent_runs")} as "ticketNumber"`.execute(deps.db);
  const [kept] = rows;
  if (!kept) throw new Refusal("lease_lost");
  if (kept.went_on)
    deps.announce(runner.organisationId, { kind: "run.changed", runId: kept.id, ticketId: kept.ticketId });
  return { leaseSeconds: runLeaseSeconds, answer: kept.answer, ticketNumber: kept.ticketNumber };
}
