import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../platform/database/database.ts";

/** The tables in partitions by the time in an event's id, and the columns that have it. */
export const partitionedTables = [
  { table: "events", key: "id" },
  { table: "event_summaries", key: "event_id" },
] as const;

/** A partition of one of them. */
export const partitionOf = <Table extends string>(table: Table, number: number) => `${table}_${number}` as const;

/** What ids it has: from the first on, or all before where that is null, and none from the second on. */
export const boundSql = (from: string | null, until: string | null): RawBuilder<unknown> => {
  const end = (id: string | null, open: string) => (id === null ? sql.raw(open) : sql.lit(id));
  return sql`for values from (${end(from, "minvalue")}) to (${end(until, "maxvalue")})`;
};

/** The number of a partition that is made in this transaction. */
export async function nextNumber(tx: Transaction): Promise<number> {
  const { number } = await tx
    .selectFrom("event_partitions")
    .select((select) => select.fn.max("number").as("number"))
    .executeTakeFirstOrThrow();
  return number + 1;
}

/** How large the partitions of a number are, with their indexes. */
export async function bytesOf(db: Database, number: number): Promise<number> {
  const sizes = partitionedTables.map(({ table }) => sql`pg_total_relation_size(${partitionOf(table, number)})`);
  const { rows } = await sql<{ bytes: number }>`select (${sql.join(sizes, sql` + `)})::bigint as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}
