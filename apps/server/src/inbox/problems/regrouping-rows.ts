import type { Regrouping, RegroupingPreview } from "@lodge/contract/dashboard/regrouping";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { holdReading } from "./read-events.ts";

const countedMax = 10_000;

/** The task that takes the next steps of a regrouping. */
export const regroupTask = "regroup_app";
/** The payload of the task. */
export type RegroupPayload = { appId: string };

/** The states of a regrouping that exists. */
export type RegroupingState = Exclude<Regrouping["state"], "none">;

/** The hashes (`as h`) that older versions of the rules created and that have reports left. */
export const oldHashes = (appId: string) => sql`
  problem_hashes h where h.app_id = ${appId} and h.rule_version = 1 and not h.retired and h.event_count > h.dropped_count`;

/** The regrouping of an app. */
export async function readRegrouping(db: Database | Transaction, appId: string): Promise<Regrouping> {
  const { rows: counts } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select distinct problem_id from ${oldHashes(appId)} limit ${sql.lit(countedMax)}) old`.execute(db);
  const found = await db.selectFrom("regroupings").selectAll().where("app_id", "=", appId).executeTakeFirst();
  return {
    state: (found?.state as RegroupingState | undefined) ?? "none",
    oldProblemCount: counts[0]?.count ?? 0,
    doneCount: found?.done_count ?? 0,
    totalCount: found?.total_count ?? 0,
    preview: (found?.preview as RegroupingPreview | null | undefined) ?? null,
    appliedAt: found?.applied_at?.toISOString() ?? null,
  };
}

/**
 * Takes one step of a regrouping in a transaction in which nobody else counts events of the app, if the regrouping is
 * still in the given state. Returns the result of the step, or undefined.
 */
export function takeStep<Result>(
  db: Database,
  appId: string,
  state: RegroupingState,
  step: (tx: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction().execute(async (tx) => {
    await holdReading(tx, appId);
    const held = await tx
      .selectFrom("regroupings")
      .select("state")
      .where("app_id", "=", appId)
      .where("state", "=", state)
      .forUpdate()
      .executeTakeFirst();
    return held && step(tx);
  });
}
