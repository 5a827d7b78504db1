import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";

/** The tables in partitions by the time in an event's id, and the columns that have it. */
export const partitionedTables = [
  { table: "events", key: "id" },
  { table: "event_summaries", key: "event_id" },
] as const;

const lockKey = 506_343_104;

/** A partition of both: its number, the first id in it and the first that is not; null for none. */
export type Partition = { number: number; from_id: string | null; until_id: string | null };

/** A partition of one of them. */
export const partitionOf = <Table extends string>(table: Table, number: number) => `${table}_${number}` as const;

/** The bounds of its ids: from the first on, or all before where that is null, and none from the second on. */
export const boundSql = (from: string | null, until: string | null): RawBuilder<unknown> => {
  const end = (id: string | null, open: string) => (id === null ? sql.raw(open) : sql.lit(id));
  return sql`for values from (${end(from, "minvalue")}) to (${end(until, "maxvalue")})`;
};

/** The same as a condition on a column, from which PostgreSQL knows it without looking at the rows. */
export const withinSql = (key: string, from: string | null, until: string | null): RawBuilder<unknown> =>
  sql`${from === null ? sql`true` : sql`${sql.ref(key)} >= ${sql.lit(from)}`}
    and ${until === null ? sql`true` : sql`${sql.ref(key)} < ${sql.lit(until)}`}`;

/** A number that no partition has had. */
export async function nextNumber(db: Database): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select nextval('event_partition_numbers')::integer as number`.execute(db);
  return rows[0]?.number ?? 0;
}

/** The size of the partitions of a number, with their indexes. */
export async function bytesOf(db: Database, number: number): Promise<number> {
  const sizes = partitionedTables.map(({ table }) => sql`pg_total_relation_size(${partitionOf(table, number)})`);
  const { rows } = await sql<{ bytes: number }>`select (${sql.join(sizes, sql` + `)})::bigint as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/**
 * Makes a running copy of a day's events start again, since this transaction deletes some of them. Before them, so that
 * who copies and who deletes wait for each other in one order.
 */
export async function giveUpCopying(tx: Transaction, eventIds: readonly string[]): Promise<void> {
  await sql`
    update event_partitions set replaced_by = null
    where replaced_by is not null and exists (
      select from unnest(${eventIds}::uuid[]) id
      where (from_id is null or id >= from_id) and (until_id is null or id < until_id))`.execute(tx);
}

/**
 * Has no day of events go until the transaction ends, which brings or takes events of days that are long over, and no copy be
 * taken that was begun before it: before it writes any. That is noted beside the transaction, which may take hours: who
 * deletes an event of such a day would wait for it.
 */
export async function holdDays(tx: Transaction, db: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(lockKey)})`.execute(tx);
  await giveUpAllCopying(db);
}

/** Has no copy be taken of events of days that was begun before. */
export async function giveUpAllCopying(db: Database): Promise<void> {
  await db.updateTable("event_partitions").set({ replaced_by: null }).where("replaced_by", "is not", null).execute();
}

/** That nobody holds the days, and nobody will until the transaction ends. */
export const holdsNoDays: RawBuilder<boolean> = sql`pg_try_advisory_xact_lock(${sql.lit(lockKey)})`;

/**
 * Updates the planner's statistics of the tables as a whole, once a day and if they have a tenth more or fewer rows:
 * PostgreSQL itself only analyses their partitions.
 */
export async function analyseEvents(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select whole.relname as name
    from pg_class whole join pg_inherits on inhparent = whole.oid join pg_class part on part.oid = inhrelid
    where whole.oid = any(array[${sql.join(partitionedTables.map(({ table }) => sql.lit(table)))}]::regclass[])
    group by whole.oid, whole.relname, whole.reltuples
    having coalesce(pg_stat_get_last_analyze_time(whole.oid), '-infinity') < now() - interval '1 day'
      or abs(sum(greatest(part.reltuples, 0)) - whole.reltuples) > whole.reltuples / 10`.execute(db);
  for (const { name } of rows) await sql`analyze only ${sql.table(name)}`.execute(db);
}

/**
 * Has the partitions stay as they are until a transaction ends that reads everything as of one moment: before its first
 * statement. Rows that are copied to a new partition later are younger than that moment, and their originals are gone.
 */
export async function keepPartitions(tx: Transaction): Promise<void> {
  await sql`lock table events, event_summaries in access share mode`.execute(tx);
}
