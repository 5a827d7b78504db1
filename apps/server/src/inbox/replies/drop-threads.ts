import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";

const orphansPerStep = 5_000;

/** Deletes the threads and messages of events that this transaction deletes. */
export async function dropThreadsOf(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("threads")
    .where("app_id", "=", appId)
    .where("event_id", "=", sql<string>`any(${eventIds}::uuid[])`)
    .execute();
}

/** Deletes threads of deleted events in a range of ids. Yields after each step, where it can be stopped. */
export async function* dropOrphanedThreads(
  db: Database,
  { from, until }: { from: string; until: string },
): AsyncGenerator<void> {
  const step = async (after: string): Promise<string | undefined> => {
    const { rows } = await sql<{ event_id: string; count: number }>`
      with chosen as materialized (
        select app_id, id, event_id from threads where event_id >= ${after} and event_id < ${until}
        order by event_id limit ${sql.lit(orphansPerStep)}
      ), gone as (
        delete from threads using chosen where threads.app_id = chosen.app_id and threads.id = chosen.id
          and not exists (select from events where events.app_id = chosen.app_id and events.id = chosen.event_id
            and events.id >= ${after} and events.id < ${until})
      )
      select event_id, (select count(*) from chosen) as count from chosen order by event_id desc limit 1`.execute(db);
    return rows[0]?.count === orphansPerStep ? rows[0].event_id : undefined;
  };
  for (let after: string | undefined = from; after !== undefined; ) {
    after = await step(after);
    yield;
  }
}
