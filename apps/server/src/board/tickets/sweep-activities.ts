import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;
const batchSize = 5_000;

/**
 * Deletes activities of tickets after their retention, with earlier texts; that a ticket was filed, and by whom, is
 * kept. Works in batches; can be stopped at any point and run again. Returns how many entries it deleted.
 */
export async function sweepActivities({ db, clock, config }: Pick<Deps, "db" | "clock" | "config">): Promise<number> {
  const before = new Date(clock.now().getTime() - config.activityRetentionDays * dayMs);
  for (let swept = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from ticket_activities where ctid = any(array(
        select ctid from ticket_activities where created_at < ${before} and kind <> 'ticket.filed'
        limit ${sql.lit(batchSize)}))`.execute(db);
    swept += Number(numAffectedRows);
    if (numAffectedRows < batchSize) return swept;
  }
}
