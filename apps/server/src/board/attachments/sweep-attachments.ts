import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const batchSize = 500;

/** Deletes attachments of deleted tickets, and those that people deleted. Returns how many. Can be stopped anywhere. */
export async function sweepAttachments({ db, store }: Pick<Deps, "db" | "store">): Promise<number> {
  for (let deleted = 0; ; ) {
    const gone = await db
      .selectFrom("ticket_attachments")
      .select("store_key")
      .where("ticket_id", "is", null)
      .orderBy("created_at")
      .limit(batchSize)
      .execute();
    // Files first: the next sweep finds a row without its file, but not a file without its row.
    const keys = gone.map(({ store_key }) => store_key);
    await store.delete(keys);
    await db.deleteFrom("ticket_attachments").where("store_key", "=", sql<string>`any(${keys})`).execute();
    deleted += gone.length;
    if (gone.length < batchSize) return deleted;
  }
}
