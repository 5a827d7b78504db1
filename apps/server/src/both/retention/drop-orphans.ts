import { dropOrphanedDeliveries } from "../../inbox/deliveries/drop-deliveries.ts";
import { dropOrphanedThreads } from "../../inbox/replies/drop-threads.ts";
import { listOrphaned, noteWithoutOrphans } from "../../inbox/reports/orphaned.ts";
import type { Database } from "../../platform/database/database.ts";
import { allOf } from "./all-of.ts";

/**
 * Deletes deliveries and threads of events that were dropped with their day, until a time, pausing after each step for
 * as long as it took.
 */
export async function dropOrphans(db: Database, endsAt: number): Promise<void> {
  for (const { number, range } of await listOrphaned(db)) {
    const apps = await db.selectFrom("apps").select("id").orderBy("id").execute();
    for (const steps of [
      ...apps.map(({ id }) => dropOrphanedDeliveries(db, id, range)),
      dropOrphanedThreads(db, range),
    ]) {
      if (!(await allOf(steps, endsAt))) return;
    }
    await noteWithoutOrphans(db, number);
  }
}
