import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

const deliveriesPerStep = 500;

/** Deletes the deliveries and attempts of a deleted subscriber. Yields after each step, where it can be stopped. */
export async function* eraseDeliveries(db: Database, appId: string, subscriberId: string): AsyncGenerator<void> {
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: { event_id: string }[] } = await sql<{ event_id: string }>`
      with chosen as materialized (
        select id, event_id from deliveries
        where app_id = ${appId} and subscriber_id = ${subscriberId} and (${after}::uuid is null or event_id >= ${after})
        order by event_id limit ${sql.lit(deliveriesPerStep)}
      ), gone as (
        delete from deliveries using chosen where deliveries.app_id = ${appId} and deliveries.id = chosen.id
      )
      select event_id from chosen order by event_id desc limit 1`.execute(db);
    if (rows[0] === undefined) return;
    after = rows[0].event_id;
    yield;
  }
}
