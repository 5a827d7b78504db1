import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { nilId } from "../../platform/uuid-time.ts";

const orphansPerStep = 5_000;
type Place = { event_id: string; id: string };

/** Deletes the deliveries of events that this transaction deletes. */
export async function dropDeliveriesOf(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("deliveries")
    .where("app_id", "=", appId)
    .where("event_id", "=", sql<string>`any(${eventIds}::uuid[])`)
    .execute();
}

/**
 * Deletes the deliveries of an app whose events, in a range of ids, are gone. Yields after each step, where it can be
 * stopped.
 */
export async function* dropOrphanedDeliveries(
  db: Database,
  appId: string,
  { from, until }: { from: string; until: string },
): AsyncGenerator<void> {
  const step = async (after: Place): Promise<Place | undefined> => {
    const { rows } = await sql<Place & { count: number }>`
      with chosen as materialized (
        select id, event_id from deliveries
        where app_id = ${appId} and event_id >= ${after.event_id} and event_id < ${until}
          and (event_id, id) > (${after.event_id}::uuid, ${after.id}::uuid)
        order by event_id, id limit ${sql.lit(orphansPerStep)}
      ), gone as (
        delete from deliveries using chosen where deliveries.app_id = ${appId} and deliveries.id = chosen.id
          and not exists (select from events where events.app_id = ${appId} and events.id = chosen.event_id
            and events.id >= ${after.event_id} and events.id < ${until})
      )
      select event_id, id, (select count(*) from chosen) as count from chosen order by event_id desc, id desc limit 1`.execute(
      db,
    );
    return rows[0]?.count === orphansPerStep ? rows[0] : undefined;
  };
  for (let after: Place | undefined = { event_id: from, id: nilId }; after !== undefined; ) {
    after = await step(after);
    yield;
  }
}
