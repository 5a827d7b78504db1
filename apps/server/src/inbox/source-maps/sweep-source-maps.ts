import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;
const batchSize = 500;

/**
 * Deletes the source maps that others have replaced, and those that no report has needed for their retention. Can be
 * stopped at any point and run again: files go first, so that none is left without its row.
 */
export async function sweepSourceMaps({
  db,
  store,
  clock,
  config,
}: Pick<Deps, "db" | "store" | "clock" | "config">): Promise<void> {
  const before = new Date(clock.now().getTime() - config.sourceMapRetentionDays * dayMs);
  for (;;) {
    const { rows } = await sql<{ store_key: string }>`
      select store_key from source_maps where replaced or used_at < ${before} limit ${sql.lit(batchSize)}`.execute(db);
    if (rows.length === 0) return;
    const keys = rows.map(({ store_key }) => store_key);
    await store.delete(keys);
    await db.deleteFrom("source_maps").where("store_key", "=", sql<string>`any(${keys})`).execute();
  }
}
