import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

/** For how many days it is kept what was refused. */
export const refusalDaysKept = 90;

/** Forgets what was refused more than 90 days ago, and returns how many counters that were. */
export async function sweepRefusals({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from refusals where day <= (${clock.now()}::timestamptz at time zone 'UTC')::date - ${sql.lit(refusalDaysKept)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
