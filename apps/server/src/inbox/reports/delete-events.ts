import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Store } from "../../platform/store/store.ts";
import { dropArtifactsOf } from "../artifacts/drop-artifacts.ts";
import { dropDeliveriesOf } from "../deliveries/drop-deliveries.ts";
import { dropFromInbox } from "../problems/drop-from-inbox.ts";
import { dropThreadsOf } from "../replies/drop-threads.ts";
import { abandonCopiesOf } from "./partitions.ts";

/** The numbers of deleted events and attachments. */
export type Deleted = { events: number; attachments: number; attachmentBytes: number };

/**
 * Deletes events of an app with everything that belongs to them, including the files of attachments; the ids that
 * de-duplicate reports stay. `alongside` runs first in the same transaction. Can be stopped at any point and run again:
 * events are deleted last.
 */
export async function deleteEvents(
  { db, store }: { db: Database; store: Pick<Store, "delete"> },
  appId: string,
  eventIds: readonly string[],
  alongside: (tx: Transaction) => Promise<void> = async () => {},
): Promise<Deleted> {
  const ids = sql<string>`any(${eventIds}::uuid[])`;
  const artifacts = await db
    .selectFrom("artifacts")
    .select(["store_key", "byte_length"])
    .where("app_id", "=", appId)
    .where("event_id", "=", ids)
    .execute();
  await store.delete(artifacts.map(({ store_key }) => store_key));
  return db.transaction().execute(async (tx) => {
    await abandonCopiesOf(tx, eventIds);
    await alongside(tx);
    await dropDeliveriesOf(tx, appId, eventIds);
    await dropThreadsOf(tx, appId, eventIds);
    await dropArtifactsOf(tx, appId, eventIds);
    await dropFromInbox(tx, appId, eventIds);
    const deleted = await tx
      .deleteFrom("events")
      .where("app_id", "=", appId)
      .where("id", "=", ids)
      .returning("id")
      .execute();
    return {
      events: deleted.length,
      attachments: artifacts.length,
      attachmentBytes: artifacts.reduce((sum, { byte_length }) => sum + byte_length, 0),
    };
  });
}
