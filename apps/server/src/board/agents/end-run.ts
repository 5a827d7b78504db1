import { type Failure, failures } from "@lodge/contract/runners";
import { sql } from "kysely";
import { returnCredit } from "../../people/organisations/return-credit.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { openStatesSql } from "./queue-run.ts";

type Person = { userId: string | null; name: string };

/**
 * Cancels the open run, if any, of a ticket that is unassigned from the agent; its runner can write nothing more.
 * Returns its id. A run that had not started keeps no credit.
 */
export function cancelOpenRun(
  tx: Transaction,
  { organisationId, ticketId, by, at }: { organisationId: string; ticketId: string; by: Person; at: Date },
): Promise<string | undefined> {
  return cancel(tx, { organisationId, which: sql`ticket_id = ${ticketId}`, reason: "unassigned", by, at });
}

/** Cancels a run that a person no longer wants. Returns its id, or undefined if it is not open. */
export function cancelRunById(
  tx: Transaction,
  { organisationId, runId, by, at }: { organisationId: string; runId: string; by: Person; at: Date },
): Promise<string | undefined> {
  return cancel(tx, { organisationId, which: sql`id = ${runId}`, reason: "cancelled", by, at });
}

async function cancel(
  tx: Transaction,
  {
    organisationId,
    which,
    reason,
    by,
    at,
  }: { organisationId: string; which: ReturnType<typeof sql>; reason: string; by: Person; at: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; had_started: boolean }>`
    update agent_runs set state = 'cancelled', reason = ${reason}, changed_at = ${at}, changed_by_user_id = ${by.userId},
      changed_by_name = ${by.name}, ended_at = ${at}, lease_expires_at = null, question = null
    where organisation_id = ${organisationId} and ${which} and state in ${sql.raw(openStatesSql)}
    returning id, old.state in ('running', 'awaiting_input') as had_started`.execute(tx);
  const [run] = rows;
  if (run && !run.had_started) await returnCredit(tx, { organisationId, runId: run.id, at });
  return run?.id;
}

/** Returns the credit of a run that failed through no fault of the agent. */
export async function refundFailure(
  tx: Transaction,
  failure: Failure,
  run: { organisationId: string; runId: string; at: Date },
): Promise<void> {
  if (failures[failure].isRefunded) await returnCredit(tx, run);
}
