import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "./database.generated.ts";

/**
 * Inserts rows, each as the text of a JSON object, into a table whose name and columns come from the catalogue, as far as
 * `condition` holds for a row `r`. Returns how many. For whole organisations that come from elsewhere: use cases name
 * their tables.
 */
export async function insertRows(
  db: Kysely<DB>,
  { name, columns }: { name: string; columns: readonly string[] },
  rows: readonly string[],
  condition: RawBuilder<boolean>,
): Promise<number> {
  const targets = sql.join(columns.map((column) => sql.ref(column)));
  // The transaction that a row was written in says where readers are: here it is this one.
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

/** Says until the transaction ends that rows come from elsewhere: what triggers would do for a change was done there. */
export const sayCopying = (db: Kysely<DB>) => sql`select set_config('lodge.copying', 'on', true)`.execute(db);
