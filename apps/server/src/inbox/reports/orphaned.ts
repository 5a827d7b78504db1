import type { Database } from "../../platform/database/database.ts";
import { type IdRange, rangeOf } from "./drop-day.ts";

/** The ranges of ids in which deliveries and threads may be left of events that were dropped with their day. */
export async function listOrphaned(db: Database): Promise<{ number: number; range: IdRange }[]> {
  const partitions = await db
    .selectFrom("event_partitions")
    .select(["number", "from_id", "until_id"])
    .where("has_orphans", "=", true)
    .orderBy("number")
    .execute();
  return partitions.map((partition) => ({ number: partition.number, range: rangeOf(partition) }));
}

/** Records that nothing is left in the range of a partition. */
export async function noteWithoutOrphans(db: Database, number: number): Promise<void> {
  await db.updateTable("event_partitions").set({ has_orphans: false }).where("number", "=", number).execute();
}
