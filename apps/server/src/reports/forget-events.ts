import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Transaction } from "../platform/database/database.ts";
import type { Store } from "../platform/store/store.ts";
import { reportDigest } from "./report-digest.ts";

/** No statement of the doors takes longer; of those that do, none accepts a report. */
const statementMsMax = 10_000;
const pollMs = 20;

/** What went with events. */
export type Forgotten = { events: number; attachments: number; attachmentBytes: number };

/**
 * Deletes events of an app with all that hangs on them, their attachments' files too; what is left is what de-duplicates
 * their reports. `alongside` is done in the transaction that deletes them, before. Can be stopped at any point and done
 * again: an event goes last.
 */
export async function forgetEvents(
  { db, store }: { db: Database; store: Pick<Store, "delete"> },
  appId: string,
  eventIds: readonly string[],
  alongside: (tx: Transaction) => Promise<void> = async () => {},
): Promise<Forgotten> {
  const ids = sql<string>`any(${eventIds}::uuid[])`;
  const events = await db
    .selectFrom("events")
    .select(["id", "report_id", "delivery_count"])
    .where("app_id", "=", appId)
    .where("id", "=", ids)
    .execute();
  if (events.length > 0) {
    const rows = events.map(({ id, report_id, delivery_count }) => ({
      app_id: appId,
      report_digest: reportDigest(appId, report_id),
      event_id: id,
      delivery_count,
    }));
    await db
      .insertInto("forgotten_reports")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await outlastStatements(db);
  }
  return deleteEvents({ db, store }, appId, eventIds, alongside);
}

/** The same, leaving nothing behind: for an app that is deleted itself. */
export async function deleteEvents(
  { db, store }: { db: Database; store: Pick<Store, "delete"> },
  appId: string,
  eventIds: readonly string[],
  alongside: (tx: Transaction) => Promise<void> = async () => {},
): Promise<Forgotten> {
  const ids = sql<string>`any(${eventIds}::uuid[])`;
  const artifacts = await db
    .selectFrom("artifacts")
    .select(["store_key", "byte_length"])
    .where("app_id", "=", appId)
    .where("event_id", "=", ids)
    .execute();
  await store.delete(artifacts.map(({ store_key }) => store_key));
  return db.transaction().execute(async (tx) => {
    await alongside(tx);
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

/**
 * Waits for the statements that began before now. One that accepts a report would not see that it is forgotten, and would
 * take it for a new one once its event is gone.
 */
async function outlastStatements(db: Database): Promise<void> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  const since = rows[0]?.now;
  for (let waitedMs = 0; waitedMs < statementMsMax; waitedMs += pollMs) {
    const { rows: running } = await sql`
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and state = 'active' and query_start < ${since}::timestamptz limit 1`.execute(
      db,
    );
    if (running.length === 0) return;
    await sleep(pollMs);
  }
}
