import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

/** The retention of refusals, in days. */
export const refusalDaysKept = 90;

/** Deletes counts of refusals after 90 days, and returns how many. */
export async function sweepRefusals({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from refusals where day <= (${clock.now()}::timestamptz at time zone 'UTC')::date - ${sql.lit(refusalDaysKept)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
