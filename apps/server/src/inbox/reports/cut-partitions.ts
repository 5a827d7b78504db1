import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { patiently } from "../../platform/database/patiently.ts";
import type { Deps } from "../../platform/deps.ts";
import { idAt, timeOf } from "../../platform/uuid-time.ts";
import {
  boundSql,
  bytesOf,
  nextNumber,
  type Partition,
  partitionedTables,
  partitionOf,
  withinSql,
} from "./partitions.ts";

const dayMs = 86_400_000;
/** A smaller database stays with one partition. */
export const cutBytesMin = 8 * 1_073_741_824;
/** The distance of the first cut from now. */
const firstCutMs = 7 * dayMs;
/** The time ahead for which partitions are created. */
const aheadMs = 2 * dayMs;
/** The most partitions for a retention: a query over all of them plans and starts each, with its indexes. */
const partitionsMax = 15;

/**
 * Creates partitions of events, two days ahead, if a database has 8 GiB of events or has partitions already. Each
 * covers whole days (UTC): as few as make at most 15 partitions for the shorter retention. Can be stopped at any point
 * and run again.
 */
export async function cutPartitions(
  { db, clock, config }: Pick<Deps, "db" | "clock" | "config">,
  bytesMin = cutBytesMin,
): Promise<void> {
  const now = clock.now().getTime();
  const retentionDays = Math.min(config.largeProblemRetentionDays, config.eventRetentionDays);
  const lengthMs = Math.ceil(retentionDays / partitionsMax) * dayMs;
  for (;;) {
    const newest = await findNewest(db);
    await dropEnds(db, newest);
    const from = newest.goes_whole && newest.from_id !== null ? timeOf(newest.from_id) : undefined;
    if (from === undefined && newest.bytes < bytesMin) return;
    if (from !== undefined && from > now + aheadMs) return;
    // A partition that already has events ends later than planned.
    const until = from === undefined ? now + firstCutMs : newest.is_empty ? from + lengthMs : now + dayMs;
    try {
      await cut(db, newest, idAt(Math.ceil(until / dayMs) * dayMs));
    } catch (error) {
      await dropEnds(db, newest);
      throw error;
    }
  }
}

type Newest = Partition & { goes_whole: boolean; bytes: number; is_empty: boolean };

async function findNewest(db: Database): Promise<Newest> {
  const newest = await db
    .selectFrom("event_partitions")
    .select(["number", "from_id", "until_id", "goes_whole"])
    .where("until_id", "is", null)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ is_empty: boolean }>`
    select not exists (select from ${sql.table(partitionOf("events", newest.number))}) as is_empty`.execute(db);
  return { ...newest, bytes: await bytesOf(db, newest.number), is_empty: rows[0]?.is_empty ?? false };
}

/**
 * Ends the newest partition before an id, and creates the next one. First validates that it has no later events, while
 * others can write, so that they only wait for the catalogue change.
 */
async function cut(db: Database, { number, from_id }: Newest, untilId: string): Promise<void> {
  const next = await nextNumber(db);
  for (const { table, key } of partitionedTables) {
    const partition = sql.table(partitionOf(table, number));
    await patiently(db, (tx) =>
      sql`alter table ${partition} add constraint ends check (${withinSql(key, from_id, untilId)}) not valid`.execute(
        tx,
      ),
    );
    await sql`alter table ${partition} validate constraint ends`.execute(db);
  }
  await patiently(db, async (tx) => {
    const ended = await tx
      .updateTable("event_partitions")
      .set({ until_id: untilId })
      .where("number", "=", number)
      .where("until_id", "is", null)
      .executeTakeFirst();
    if (ended.numUpdatedRows === 0n) return; // another worker was faster
    for (const { table } of partitionedTables) {
      const partition = sql.table(partitionOf(table, number));
      await sql`alter table ${sql.table(table)} detach partition ${partition}`.execute(tx);
      await sql`alter table ${sql.table(table)} attach partition ${partition} ${boundSql(from_id, untilId)}`.execute(
        tx,
      );
      await sql`create table ${sql.table(partitionOf(table, next))} partition of ${sql.table(table)}
        ${boundSql(untilId, null)}`.execute(tx);
      await sql`alter table ${partition} drop constraint ends`.execute(tx);
    }
    await tx.insertInto("event_partitions").values({ number: next, from_id: untilId, goes_whole: true }).execute();
  });
}

/** Drops the constraint of an interrupted cut, so that it does not reject events after that time. */
async function dropEnds(db: Database, { number }: Newest): Promise<void> {
  for (const { table } of partitionedTables) {
    const name = partitionOf(table, number);
    const { rows } =
      await sql`select from pg_constraint where conrelid = ${name}::regclass and conname = 'ends'`.execute(db);
    if (rows.length === 0) continue;
    await patiently(db, (tx) => sql`alter table ${sql.table(name)} drop constraint if exists ends`.execute(tx));
  }
}
