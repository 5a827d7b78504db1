import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;
const batchSize = 5_000;

/** Deletes settled deliveries past their retention, with their attempts. Returns how many. Can be stopped anywhere. */
export async function sweepHookDeliveries({
  db,
  clock,
  config,
}: Pick<Deps, "db" | "clock" | "config">): Promise<number> {
  const before = new Date(clock.now().getTime() - config.deliveryRetentionDays * dayMs);
  for (let swept = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from hook_deliveries where ctid = any(array(
        select ctid from hook_deliveries where settled_at < ${before} limit ${sql.lit(batchSize)}))`.execute(db);
    swept += Number(numAffectedRows);
    if (numAffectedRows < batchSize) return swept;
  }
}
