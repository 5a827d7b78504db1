import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;
const batchSize = 5_000;

/**
 * Deletes attempts whose retention is over; their deliveries stay and still have the number of attempts. Works in
 * batches; can be stopped at any point and run again. Returns how many it deleted.
 */
export async function sweepAttempts({ db, clock, config }: Pick<Deps, "db" | "clock" | "config">): Promise<number> {
  const before = new Date(clock.now().getTime() - config.deliveryRetentionDays * dayMs);
  for (let swept = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from delivery_attempts where ctid = any(array(
        select ctid from delivery_attempts where started_at < ${before} limit ${sql.lit(batchSize)}))`.execute(db);
    swept += Number(numAffectedRows);
    if (numAffectedRows < batchSize) return swept;
  }
}
