import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const mapsPerStep = 500;

/** Deletes the source maps of a deleted app, files first. Yields after each step, where it can be stopped. */
export async function* eraseSourceMapsOfApp(
  { db, store }: Pick<Deps, "db" | "store">,
  appId: string,
): AsyncGenerator<void> {
  for (;;) {
    const found = await db
      .selectFrom("source_maps")
      .select("store_key")
      .where("app_id", "=", appId)
      .limit(mapsPerStep)
      .execute();
    if (found.length === 0) return;
    const keys = found.map(({ store_key }) => store_key);
    await store.delete(keys);
    await db.deleteFrom("source_maps").where("store_key", "=", sql<string>`any(${keys})`).execute();
    yield;
  }
}
