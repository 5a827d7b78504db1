import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const batchSize = 1_000;
const dayMs = 86_400_000;

/**
 * Deletes artifacts older than `artifactRetentionDays`, and returns how many. Files are deleted first: the next sweep
 * finds a row without its file, but not a file without its row.
 */
export async function sweepArtifacts({ db, store, clock, config }: Deps): Promise<number> {
  const before = new Date(clock.now().getTime() - config.artifactRetentionDays * dayMs);
  let expired = 0;
  for (;;) {
    const batch = await db
      .selectFrom("artifacts")
      .select("store_key")
      .where("created_at", "<", before)
      .orderBy("created_at")
      .limit(batchSize)
      .execute();
    if (batch.length === 0) return expired;
    const keys = batch.map((artifact) => artifact.store_key);
    await store.delete(keys);
    await db.deleteFrom("artifacts").where("store_key", "=", sql<string>`any(${keys})`).execute();
    expired += keys.length;
  }
}
