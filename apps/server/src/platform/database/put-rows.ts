import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "./database.generated.ts";
import { insertRows, sayCopying } from "./insert-rows.ts";

/** A table from the catalogue: its writable columns, and the columns of its primary key. */
export type KeyedTable = { name: string; columns: readonly string[]; key: readonly string[] };

/**
 * Upserts copied rows, each the text of a JSON object. Updates existing rows before it inserts others, so that a unique
 * value that moved from one row to another is free. For whole organisations.
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

/** Deletes a limited number of the rows `r` for which a condition holds. Returns the number of deleted rows. */
export async function deleteSome(
  db: Kysely<DB>,
  name: string,
  condition: RawBuilder<boolean>,
  most: number,
): Promise<number> {
  // Rows in different partitions can have the same ctid.
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
