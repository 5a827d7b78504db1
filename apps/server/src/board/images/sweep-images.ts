import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

/** The time that a draft with an image has to be saved. */
const unshownMs = 7 * 86_400_000;
const batchSize = 500;

/**
 * Deletes the images that no text shows a week after they were stored, including those of cards that were never filed,
 * and the images of deleted tickets. Stored earlier descriptions count as texts. Returns how many. Can be stopped at
 * any point and run again.
 */
export async function sweepImages({ db, store, clock }: Pick<Deps, "db" | "store" | "clock">): Promise<number> {
  const before = new Date(clock.now().getTime() - unshownMs);
  let deleted = 0;
  for (;;) {
    const { rows } = await sql<{ id: string; store_key: string; is_shown: boolean }>`
      select id, store_key, ticket_id is not null and (
        exists (
          select from comments
          where comments.organisation_id = images.organisation_id and comments.ticket_id = images.ticket_id
            and position(images.id::text in text) > 0)
        or exists (
          select from tickets
          where tickets.organisation_id = images.organisation_id and tickets.id = images.ticket_id
            and position(images.id::text in description) > 0)
        or exists (
          select from ticket_texts
          where ticket_texts.organisation_id = images.organisation_id and ticket_texts.ticket_id = images.ticket_id
            and field = 'description' and position(images.id::text in before || after) > 0)) as is_shown
      from images
      where (not shown or ticket_id is null)
        and (ticket_id is null and drafted_by is null or created_at < ${before})
      order by created_at limit ${batchSize}`.execute(db);
    const shown = rows.filter(({ is_shown }) => is_shown).map(({ id }) => id);
    const gone = rows.filter(({ is_shown }) => !is_shown);
    if (shown.length > 0) {
      await db
        .updateTable("images")
        .set({ shown: true })
        .where("id", "=", sql<string>`any(${shown}::uuid[])`)
        .execute();
    }
    // Files first: the next sweep finds a row without its file, but not a file without its row.
    const keys = gone.map(({ store_key }) => store_key);
    await store.delete(keys);
    await db.deleteFrom("images").where("store_key", "=", sql<string>`any(${keys})`).execute();
    deleted += gone.length;
    if (rows.length < batchSize) return deleted;
  }
}
