import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { lockPatiently } from "../../platform/database/patiently.ts";
import { clockSlackMs, idAt } from "../../platform/uuid-time.ts";
import { type DroppedCount, noteDroppedCounts } from "../problems/note-dropped.ts";
import { CopyAbandoned, claimMinutes, copy, copyAll, extendLease, type Key } from "./copy-day.ts";
import { cutBytesMin } from "./cut-partitions.ts";
import {
  abandonAllCopies,
  boundSql,
  bytesOf,
  nextNumber,
  type Partition,
  partitionedTables,
  partitionOf,
  tryLockDaysExclusively,
  withinSql,
} from "./partitions.ts";

/** A range of ids: from `from` inclusive to `until` exclusive. */
export type IdRange = { from: string; until: string };

/** The events of a day that are kept. */
export type Staying = {
  /**
   * A query of the app_id and event_id of those events of `summary e` (app_id, event_id, hash, received_at) that are
   * kept.
   */
  of: RawBuilder<unknown>;
  /** The events in a range of ids that people or replays have used since a time, which are kept too. */
  since: (range: IdRange, at: Date) => RawBuilder<unknown>;
};

/** The first event of the partitions that are dropped whole; earlier events are deleted one by one. */
export async function findFirstWhole(db: Database): Promise<string | undefined> {
  const first = await db
    .selectFrom("event_partitions")
    .select("from_id")
    .where("goes_whole", "=", true)
    .orderBy("from_id")
    .limit(1)
    .executeTakeFirst();
  return first?.from_id ?? undefined;
}

/**
 * Drops the oldest day whose events are all older than `before`, except for the events to keep. Those are copied in
 * steps while others read and write, together with what is left of earlier days if that is not much more. In the end
 * the copy replaces the day; queries of events wait for that moment. Returns how many events were dropped. Returns
 * undefined if there is no such day, another worker is at it, an organisation is moving between cells, or one of these
 * events was deleted meanwhile; the next run then starts over.
 */
export async function dropDay(db: Database, before: Date, staying: Staying): Promise<number | undefined> {
  const claimed = await claim(db, before);
  return (
    claimed &&
    replace(db, claimed, staying).catch((error: unknown) => {
      if (error instanceof CopyAbandoned) return undefined;
      throw error;
    })
  );
}

async function replace(db: Database, { day, number, at }: Claimed, staying: Staying): Promise<number> {
  const counts = new Map<string, DroppedCount>();
  for (const dropped of await copyAll(db, day, number, staying.of)) {
    const key = `${dropped.app_id} ${dropped.hash}`;
    counts.set(key, { ...dropped, count: dropped.count + (counts.get(key)?.count ?? 0) });
  }
  const left: [Partition, ...Partition[]] = [day];
  for (;;) {
    const earlier = await claimEarlier(db, left[0], number);
    if (!earlier) break;
    await copyAll(db, earlier, number, sql`select e.app_id, e.event_id from summary e`);
    left.unshift(earlier);
  }
  return exchange(db, left, number, counts, staying.since(rangeOf(day), new Date(at.getTime() - clockSlackMs)));
}

/** A day, the number of the tables that it is copied to, and when it was claimed. */
type Claimed = { day: Partition; number: number; at: Date };

async function claim(db: Database, before: Date): Promise<Claimed | undefined> {
  return db.transaction().execute(async (tx) => {
    const day = await tx
      .selectFrom("event_partitions")
      .select(["number", "from_id", "until_id", "replaced_by", sql<boolean>`claimed_until > now()`.as("is_claimed")])
      .where("goes_whole", "=", true)
      .where("until_id", "<=", idAt(before.getTime() - clockSlackMs))
      .orderBy("from_id")
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    const { rows: free } = await sql`select where ${tryLockDaysExclusively}`.execute(tx);
    if (!day || free.length === 0 || (day.is_claimed && day.replaced_by !== null)) return undefined;
    // Left behind by a killed worker.
    await dropUnattached(tx);
    const number = await nextNumber(tx);
    for (const { table } of partitionedTables) {
      await sql`create table ${sql.table(partitionOf(table, number))} (like ${sql.table(table)} including all)`.execute(
        tx,
      );
    }
    await abandonAllCopies(tx);
    await hold(tx, day.number, number);
    const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx);
    return { day, number, at: rows[0]?.at ?? new Date(0) };
  });
}

/** Drops tables that have the name of a partition but are not attached. */
async function dropUnattached(tx: Transaction): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relispartition
      and relname ~ '^(events|event_summaries)_[0-9]+$'`.execute(tx);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(tx);
}

/** Records that a partition is being copied to the tables with a number. */
async function hold(tx: Transaction, partition: number, number: number): Promise<void> {
  await tx
    .updateTable("event_partitions")
    .set({ replaced_by: number, claimed_until: sql`now() + ${sql.lit(claimMinutes)} * interval '1 minute'` })
    .where("number", "=", partition)
    .execute();
}

/** Claims the partition before, unless its remaining events are much more than what has been copied. */
async function claimEarlier(db: Database, { from_id }: Partition, number: number): Promise<Partition | undefined> {
  const earlier = await db
    .selectFrom("event_partitions")
    .select(["number", "from_id", "until_id"])
    .where("until_id", "=", from_id)
    .where("goes_whole", "=", false)
    .executeTakeFirst();
  if (!earlier) return undefined;
  const bytesMax = Math.min(cutBytesMin, 2 * (await bytesOf(db, number)));
  if ((await bytesOf(db, earlier.number)) > bytesMax) return undefined;
  await db.transaction().execute((tx) => hold(tx, earlier.number, number));
  return earlier;
}

/** Replaces partitions by their copy. `left` lists the partitions, the oldest first and the day last. */
async function exchange(
  db: Database,
  left: readonly [Partition, ...Partition[]],
  number: number,
  counts: Map<string, DroppedCount>,
  since: RawBuilder<unknown>,
): Promise<number> {
  const day = left.at(-1) ?? left[0];
  const range = { from_id: left[0].from_id, until_id: day.until_id };
  for (const { table, key } of partitionedTables) {
    const name = sql.table(partitionOf(table, number));
    // With this constraint, attaching it takes no time.
    await sql`alter table ${name} add constraint ends check (${withinSql(key, range.from_id, range.until_id)})`.execute(
      db,
    );
    await sql`analyze ${name}`.execute(db);
  }
  return db.transaction().execute(async (tx) => {
    for (const each of left) await extendLease(tx, each.number, number);
    await lockPatiently(tx, ["events", "event_summaries"]);
    const { rows: late } = await sql<Key & { hash: string | null }>`
      select distinct on (late.app_id, late.event_id) late.app_id, late.event_id, s.hash from (${since}) late
      join ${sql.table(partitionOf("event_summaries", day.number))} s on s.app_id = late.app_id and s.event_id = late.event_id
      where not exists (select from ${sql.table(partitionOf("events", number))} e
        where e.app_id = late.app_id and e.id = late.event_id)`.execute(tx);
    await copy(tx, day, number, late);
    for (const { app_id, hash } of late) {
      const count = counts.get(`${app_id} ${hash}`);
      if (count) count.count--;
    }
    for (const { table } of partitionedTables) {
      for (const each of left) {
        const name = sql.table(partitionOf(table, each.number));
        await sql`alter table ${sql.table(table)} detach partition ${name}`.execute(tx);
        await sql`drop table ${name}`.execute(tx);
      }
      const name = sql.table(partitionOf(table, number));
      await sql`alter table ${sql.table(table)} attach partition ${name}
        ${boundSql(range.from_id, range.until_id)}`.execute(tx);
      await sql`alter table ${name} drop constraint ends`.execute(tx);
    }
    const numbers = left.map((each) => each.number);
    await tx.deleteFrom("event_partitions").where("number", "in", numbers).execute();
    await tx
      .insertInto("event_partitions")
      .values({ number, ...range, goes_whole: false, has_orphans: true })
      .execute();
    await noteDroppedCounts(tx, [...counts.values()]);
    return [...counts.values()].reduce((sum, { count }) => sum + count, 0);
  });
}

/** The range of ids of a partition. */
export const rangeOf = ({ from_id, until_id }: Pick<Partition, "from_id" | "until_id">): IdRange => ({
  from: from_id ?? idAt(0),
  until: until_id ?? idAt(2 ** 48 - 1),
});
