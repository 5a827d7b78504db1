import { sql } from "kysely";
import type { Database } from "../platform/database/database.ts";
import { patiently } from "../platform/database/patiently.ts";
import type { Deps } from "../platform/deps.ts";
import { idAt } from "../platform/uuid-time.ts";
import { boundSql, bytesOf, nextNumber, partitionedTables, partitionOf } from "./partitions.ts";

const dayMs = 86_400_000;
/** A database with less has one partition, for ever. */
export const cutBytesMin = 8 * 1_073_741_824;
/** Whoever began to cut and was stopped is gone on for so long before what it has prepared would be in the way. */
const firstCutMs = 7 * dayMs;
/** So much of the future has its days. */
const aheadMs = 2 * dayMs;

/**
 * Begins a partition of events for each day (UTC), two days ahead, where a database has 8 GiB of them or has begun to. Can be
 * stopped at any point and run again.
 */
export async function cutPartitions({ db, clock }: Pick<Deps, "db" | "clock">, bytesMin = cutBytesMin): Promise<void> {
  const now = clock.now().getTime();
  for (;;) {
    const newest = await findNewest(db);
    const from = newest.goes_whole && newest.from_id !== null ? timeOf(newest.from_id) : undefined;
    if (from === undefined && newest.bytes < bytesMin) return;
    if (from !== undefined && from > now + aheadMs) return;
    // What has received events already ends later than the day that it was made for.
    const until = from === undefined ? now + firstCutMs : newest.is_empty ? from + dayMs : now + dayMs;
    await cut(db, newest, idAt(Math.ceil(until / dayMs) * dayMs));
  }
}

type Newest = { number: number; from_id: string | null; goes_whole: boolean; bytes: number; is_empty: boolean };

async function findNewest(db: Database): Promise<Newest> {
  const { number, from_id, goes_whole } = await db
    .selectFrom("event_partitions")
    .select(["number", "from_id", "goes_whole"])
    .where("until_id", "is", null)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ is_empty: boolean }>`
    select not exists (select from ${sql.table(partitionOf("events", number))}) as is_empty`.execute(db);
  return { number, from_id, goes_whole, bytes: await bytesOf(db, number), is_empty: rows[0]?.is_empty ?? false };
}

/**
 * Ends the newest partition before an id, and begins the next one. That nothing beyond is in it is checked first, while others
 * write, so that nobody waits for more than a change of the catalogue.
 */
async function cut(db: Database, { number, from_id }: Newest, untilId: string): Promise<void> {
  for (const { table, key } of partitionedTables) {
    const partition = sql.table(partitionOf(table, number));
    await patiently(db, async (tx) => {
      await sql`alter table ${partition} drop constraint if exists ends`.execute(tx);
      await sql`alter table ${partition} add constraint ends check (${sql.ref(key)} < ${sql.lit(untilId)}) not valid`.execute(
        tx,
      );
    });
    await sql`alter table ${partition} validate constraint ends`.execute(db);
  }
  await patiently(db, async (tx) => {
    const ended = await tx
      .updateTable("event_partitions")
      .set({ until_id: untilId })
      .where("number", "=", number)
      .where("until_id", "is", null)
      .executeTakeFirst();
    if (ended.numUpdatedRows === 0n) return; // somebody else was faster
    const newest = await nextNumber(tx);
    for (const { table } of partitionedTables) {
      const [whole, partition, next] = [table, partitionOf(table, number), partitionOf(table, newest)].map((name) =>
        sql.table(name),
      );
      await sql`alter table ${whole} detach partition ${partition}`.execute(tx);
      await sql`alter table ${whole} attach partition ${partition} ${boundSql(from_id, untilId)}`.execute(tx);
      await sql`create table ${next} partition of ${whole} ${boundSql(untilId, null)}`.execute(tx);
      await sql`alter table ${partition} drop constraint ends`.execute(tx);
    }
    await tx.insertInto("event_partitions").values({ number: newest, from_id: untilId, goes_whole: true }).execute();
  });
}

/** When the ids of a partition begin. */
const timeOf = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
