import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "./database.generated.ts";
import { insertRows, sayCopying } from "./insert-rows.ts";

/** A table as the catalogue has it: the columns that are written, and those of its primary key. */
export type KeyedTable = { name: string; columns: readonly string[]; key: readonly string[] };

/**
 * Has rows be as they are elsewhere, each the text of a JSON object: those that are there are updated before the others
 * are inserted, so that what was handed from one row to the other is free when it is taken. For whole organisations.
 */
export async function putRows(db: Kysely<DB>, table: KeyedTable, rows: readonly string[]): Promise<void> {
  const { name, columns, key } = table;
  const values = columns.filter((column) => !key.includes(column) && column !== "transaction_id");
  await sayCopying(db);
  if (values.length > 0) {
    const set = sql.join(values.map((column) => sql`${sql.ref(column)} = ${sql.ref(`r.${column}`)}`));
    await sql`
      update ${sql.table(name)} t set ${set}
      from json_populate_recordset(null::${sql.table(name)}, ${`[${rows.join(",")}]`}::json) r
      where ${isSame(key)}`.execute(db);
  }
  await insertRows(db, table, rows, sql`not exists (select from ${sql.table(name)} t where ${isSame(key)})`);
}

/** Deletes rows by their primary keys, each the text of a JSON object. */
export async function deleteRows(db: Kysely<DB>, { name, key }: KeyedTable, keys: readonly string[]): Promise<void> {
  await sql`
    delete from ${sql.table(name)} t
    using json_populate_recordset(null::${sql.table(name)}, ${`[${keys.join(",")}]`}::json) r
    where ${isSame(key)}`.execute(db);
}

/** Deletes at most so many of the rows `r` for which a condition holds. Returns how many. */
export async function deleteSome(
  db: Kysely<DB>,
  name: string,
  condition: RawBuilder<boolean>,
  most: number,
): Promise<number> {
  // Of a partitioned table rows of several partitions have the same ctid.
  const { numAffectedRows } = await sql`
    delete from ${sql.table(name)} r where ${condition} and ctid = any(array(
      select ctid from ${sql.table(name)} r where ${condition} limit ${sql.lit(most)}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Whether a row `t` has the key of a row `r`. */
const isSame = (key: readonly string[]): RawBuilder<boolean> =>
  sql`${sql.join(
    key.map((column) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`r.${column}`)}`),
    sql` and `,
  )}`;
