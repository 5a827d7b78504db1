import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "./database.generated.ts";

/**
 * Inserts rows, each the text of a JSON object, into a table whose name and columns come from the catalogue, if
 * `condition` holds for the row `r`. Returns the number of rows. Only for importing whole organisations: use cases name
 * their tables.
 */
export async function insertRows(
  db: Kysely<DB>,
  { name, columns }: { name: string; columns: readonly string[] },
  rows: readonly string[],
  condition: RawBuilder<boolean>,
): Promise<number> {
  const targets = sql.join(columns.map((column) => sql.ref(column)));
  // Readers use the transaction id of a row as their position, so imported rows get the current one.
  const values = sql.join(
    columns.map((column) => (column === "transaction_id" ? sql`pg_current_xact_id()` : sql.ref(`r.${column}`))),
  );
  await sayCopying(db);
  const { numAffectedRows } = await sql`
    insert into ${sql.table(name)} (${targets}) overriding system value
    select ${values} from json_populate_recordset(null::${sql.table(name)}, ${`[${rows.join(",")}]`}::json) r
    where ${condition}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Disables the effects of triggers until the transaction ends: they already ran where the rows come from. */
export const sayCopying = (db: Kysely<DB>) => sql`select set_config('lodge.copying', 'on', true)`.execute(db);
