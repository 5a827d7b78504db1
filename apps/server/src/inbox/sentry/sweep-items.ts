import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { refusalDaysKept } from "../reports/sweep-refusals.ts";

/** Deletes counts of unstored items after 90 days, like those of refused reports. Returns how many. */
export async function sweepItems({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from unstored_items
    where day <= (${clock.now()}::timestamptz at time zone 'UTC')::date - ${sql.lit(refusalDaysKept)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
