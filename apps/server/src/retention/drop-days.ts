import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { dropOrphanedDeliveries } from "../deliveries/drop-deliveries.ts";
import type { Database, Transaction } from "../platform/database/database.ts";
import { lockPatiently } from "../platform/database/patiently.ts";
import { clockSlackMs, idAt } from "../platform/uuid-time.ts";
import { copySummaries } from "../problems/copy-summaries.ts";
import { countDropped } from "../problems/note-dropped.ts";
import { dropOrphanedThreads } from "../replies/drop-threads.ts";
import { copyEvents } from "../reports/copy-events.ts";
import { cutBytesMin } from "./cut-partitions.ts";
import { boundSql, bytesOf, nextNumber, partitionedTables, partitionOf } from "./partitions.ts";

/** Ids from the first to before the second. */
export type IdRange = { from: string; until: string };
type Partition = { number: number; from_id: string | null; until_id: string | null };

/** The oldest events that go together with their day, once all of that is old: those before go one by one. */
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
 * Drops the oldest day whose events are all older than `before`, but for those of them that stay: `staying` makes a query of
 * their rows in the partition that it is told, of the ids that this has. They are joined to those of the days before, where
 * these are not much more, so that there are few partitions and little is copied often. Whoever erases events of that day waits meanwhile; all others wait for a moment at its end.
 * Returns how many events went, or undefined where there is no such day.
 */
export async function dropDay(
  db: Database,
  before: Date,
  staying: (summaries: RawBuilder<unknown>, ids: IdRange) => RawBuilder<unknown>,
  bytesMax = cutBytesMin,
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    const day = await tx
      .selectFrom("event_partitions")
      .select(["number", "from_id", "until_id"])
      .where("goes_whole", "=", true)
      .where("until_id", "<=", idAt(before.getTime() - clockSlackMs))
      .orderBy("from_id")
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!day) return undefined;
    const number = await nextNumber(tx);
    await lockPartition(tx, day);
    await makeEmpty(tx, number);
    const summaries = sql.table(partitionOf("event_summaries", day.number));
    const kept = sql.table(partitionOf("event_summaries", number));
    await copySummaries(tx, number, staying(summaries, idsOf(day)));
    // What was not read yet stays as well.
    await copyEvents(
      tx,
      number,
      sql`select e.* from ${sql.table(partitionOf("events", day.number))} e
        left join ${kept} k on k.app_id = e.app_id and k.event_id = e.id
        left join ${summaries} s on s.app_id = e.app_id and s.event_id = e.id
        where k.event_id is not null or s.event_id is null`,
    );
    const noteDropped = await countDropped(
      tx,
      sql`
      select s.app_id, s.hash from ${summaries} s
      where not exists (select from ${kept} k where k.app_id = s.app_id and k.event_id = s.event_id)`,
    );

    const left: [Partition, ...Partition[]] = [day];
    for (;;) {
      const earlier = await findEarlier(tx, left[0], Math.min(bytesMax, 2 * (await bytesOf(tx, number))));
      if (!earlier) break;
      await lockPartition(tx, earlier);
      await copySummaries(tx, number, sql`select * from ${sql.table(partitionOf("event_summaries", earlier.number))}`);
      await copyEvents(tx, number, sql`select * from ${sql.table(partitionOf("events", earlier.number))}`);
      left.unshift(earlier);
    }
    const range = { from_id: left[0].from_id, until_id: day.until_id };
    for (const { table, key } of partitionedTables) {
      const name = sql.table(partitionOf(table, number));
      const from = range.from_id === null ? sql`true` : sql`${sql.ref(key)} >= ${sql.lit(range.from_id)}`;
      // Known before it is attached, which then takes no time.
      await sql`alter table ${name} add constraint bounds check (${from} and ${sql.ref(key)} < ${sql.lit(range.until_id)})`.execute(
        tx,
      );
      await sql`analyze ${name}`.execute(tx);
    }

    await lockPatiently(tx, ["events", "event_summaries"]);
    for (const { table } of partitionedTables) {
      for (const each of left) {
        const name = sql.table(partitionOf(table, each.number));
        await sql`alter table ${sql.table(table)} detach partition ${name}`.execute(tx);
        await sql`drop table ${name}`.execute(tx);
      }
      const name = sql.table(partitionOf(table, number));
      await sql`alter table ${sql.table(table)} attach partition ${name} ${boundSql(range.from_id, range.until_id)}`.execute(
        tx,
      );
      await sql`alter table ${name} drop constraint bounds`.execute(tx);
    }
    const dropped = await noteDropped();
    await tx
      .deleteFrom("event_partitions")
      .where(
        "number",
        "in",
        left.map((each) => each.number),
      )
      .execute();
    await tx
      .insertInto("event_partitions")
      .values({ number, ...range, goes_whole: false, has_orphans: true })
      .execute();
    return dropped;
  });
}

const idsOf = ({ from_id, until_id }: Pick<Partition, "from_id" | "until_id">): IdRange => ({
  from: from_id ?? idAt(0),
  until: until_id ?? idAt(2 ** 48 - 1),
});

/** What lies just before a day, of what stayed of others, and is less than so many bytes. */
async function findEarlier(tx: Transaction, { from_id }: Partition, bytesMax: number): Promise<Partition | undefined> {
  const earlier = await tx
    .selectFrom("event_partitions")
    .select(["number", "from_id", "until_id"])
    .where("until_id", "=", from_id)
    .where("goes_whole", "=", false)
    .forUpdate()
    .executeTakeFirst();
  return earlier && (await bytesOf(tx, earlier.number)) < bytesMax ? earlier : undefined;
}

/** Has nobody change what lies in a partition any more; it can be read. */
async function lockPartition(tx: Transaction, { number }: Partition): Promise<void> {
  const tables = sql.join(partitionedTables.map(({ table }) => sql.table(partitionOf(table, number))));
  await sql`lock table ${tables} in exclusive mode`.execute(tx);
}

/** Makes tables like the partitions, which belong to nothing yet. */
async function makeEmpty(tx: Transaction, number: number): Promise<void> {
  for (const { table } of partitionedTables) {
    await sql`create table ${sql.table(partitionOf(table, number))} (like ${sql.table(table)} including all,
      foreign key (app_id) references apps (id) on delete cascade)`.execute(tx);
  }
}

/** Deletes deliveries and threads of events that went with their day, with as long a rest after each step, until a time. */
export async function dropOrphans(db: Database, endsAt: number): Promise<void> {
  const partitions = await db
    .selectFrom("event_partitions")
    .select(["number", "from_id", "until_id"])
    .where("has_orphans", "=", true)
    .orderBy("from_id")
    .execute();
  for (const { number, from_id, until_id } of partitions) {
    const range = idsOf({ from_id, until_id });
    const apps = await db.selectFrom("apps").select("id").orderBy("id").execute();
    for (const steps of [
      ...apps.map(({ id }) => dropOrphanedDeliveries(db, id, range)),
      dropOrphanedThreads(db, range),
    ]) {
      let beganAt = performance.now();
      for await (const _ of steps) {
        if (performance.now() > endsAt) return;
        await sleep(performance.now() - beganAt);
        beganAt = performance.now();
      }
    }
    await db.updateTable("event_partitions").set({ has_orphans: false }).where("number", "=", number).execute();
  }
}
