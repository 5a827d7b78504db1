import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { makeStoreKey } from "../../platform/store/store-key.ts";

type Swept = Pick<Deps, "db" | "store" | "clock" | "config">;

const dayMs = 86_400_000;
const batchSize = 500;

/**
 * Deletes replaced and expired source maps, and the source texts of apps that no longer allow them. Can be stopped at
 * any point and run again. Files are deleted first, so that no file is left without a row.
 */
export async function sweepSourceMaps(deps: Swept): Promise<void> {
  await dropTexts(deps);
  const { db, store, clock, config } = deps;
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

/** Replaces maps by copies without source texts, if their app does not allow them. */
async function dropTexts({ db, store, clock }: Swept): Promise<void> {
  const { rows } = await sql<{ app_id: string; id: string; store_key: string }>`
    select app_id, source_maps.id, store_key from source_maps join apps on apps.id = app_id
    where has_sources and not replaced and not source_lines`.execute(db);
  for (const { app_id, id, store_key } of rows) {
    const stored = await store.read(store_key);
    if (!stored) continue;
    const bytes = await buffer(stored);
    const map = bytes.subarray(0, bytes.indexOf("\n"));
    const key = makeStoreKey(clock.now());
    const upload = await store.create(key);
    await upload.write(map);
    await upload.commit();
    await db.transaction().execute(async (tx) => {
      await sql`update source_maps set replaced = true where app_id = ${app_id} and id = ${id}`.execute(tx);
      await sql`
        insert into source_maps (organisation_id, app_id, release, file, debug_id, byte_length, store_key, unusable_reason,
          created_at, used_at)
        select organisation_id, app_id, release, file, debug_id, ${map.length}, ${key}, unusable_reason, created_at, used_at
        from source_maps where app_id = ${app_id} and id = ${id}`.execute(tx);
    });
  }
}
