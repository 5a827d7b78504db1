import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";

/** The tables that are partitioned by the time in an event's id, and their column with that id. */
export const partitionedTables = [
  { table: "events", key: "id" },
  { table: "event_summaries", key: "event_id" },
] as const;

const lockKey = 506_343_104;

/**
 * A partition of both tables: its number, and its range of ids from `from_id` inclusive to `until_id` exclusive; null
 * means unbounded.
 */
export type Partition = { number: number; from_id: string | null; until_id: string | null };

/** The name of a partition of one table. */
export const partitionOf = <Table extends string>(table: Table, number: number) => `${table}_${number}` as const;

/** The bounds of a partition, as a clause of `attach partition` or `create table`. */
export const boundSql = (from: string | null, until: string | null): RawBuilder<unknown> => {
  const end = (id: string | null, open: string) => (id === null ? sql.raw(open) : sql.lit(id));
  return sql`for values from (${end(from, "minvalue")}) to (${end(until, "maxvalue")})`;
};

/**
 * The bounds as a condition on a column. A constraint with it lets PostgreSQL attach the partition without scanning it.
 */
export const withinSql = (key: string, from: string | null, until: string | null): RawBuilder<unknown> =>
  sql`${from === null ? sql`true` : sql`${sql.ref(key)} >= ${sql.lit(from)}`}
    and ${until === null ? sql`true` : sql`${sql.ref(key)} < ${sql.lit(until)}`}`;

/** A number that no partition has had. */
export async function nextNumber(db: Database): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select nextval('event_partition_numbers')::integer as number`.execute(db);
  return rows[0]?.number ?? 0;
}

/** The size of the partitions with a number, including their indexes. */
export async function bytesOf(db: Database, number: number): Promise<number> {
  const sizes = partitionedTables.map(({ table }) => sql`pg_total_relation_size(${partitionOf(table, number)})`);
  const { rows } = await sql<{ bytes: number }>`select (${sql.join(sizes, sql` + `)})::bigint as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/**
 * Makes a running copy of a day's events start over, since this transaction deletes some of them. Call it before
 * deleting, so that copying and deleting take their locks in one order.
 */
export async function abandonCopiesOf(tx: Transaction, eventIds: readonly string[]): Promise<void> {
  await sql`
    update event_partitions set replaced_by = null
    where replaced_by is not null and exists (
      select from unnest(${eventIds}::uuid[]) id
      where (from_id is null or id >= from_id) and (until_id is null or id < until_id))`.execute(tx);
}

/**
 * Prevents days from being dropped until the transaction ends, since it adds or removes events of past days, and
 * abandons copies that were started before. The latter is committed outside the transaction, which may take hours,
 * because deleting an event of such a day would wait for it.
 */
export async function lockDays(tx: Transaction, db: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(lockKey)})`.execute(tx);
  await abandonAllCopies(db);
}

/** Abandons all copies of days that are under way. */
export async function abandonAllCopies(db: Database): Promise<void> {
  await db.updateTable("event_partitions").set({ replaced_by: null }).where("replaced_by", "is not", null).execute();
}

/** The condition that nobody holds the days. If it is true, nobody can until the transaction ends. */
export const tryLockDaysExclusively: RawBuilder<boolean> = sql`pg_try_advisory_xact_lock(${sql.lit(lockKey)})`;

/**
 * Updates the planner's statistics of the partitioned tables as a whole, once a day and if their number of rows has
 * changed by a tenth: PostgreSQL itself only analyses the partitions.
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
 * Keeps the partitions unchanged until the transaction ends. Call it before the first statement of a transaction that
 * reads a snapshot: rows that are copied to a new partition later would not be in the snapshot, and their originals are
 * gone.
 */
export async function keepPartitions(tx: Transaction): Promise<void> {
  await sql`lock table events, event_summaries in access share mode`.execute(tx);
}
