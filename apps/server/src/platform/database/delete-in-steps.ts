import { sql } from "kysely";
import type { DB } from "./database.generated.ts";
import type { Database } from "./database.ts";

const rowsPerStep = 5_000;

/** The tables whose rows belong to an app. */
export type TableOfApps = { [Table in keyof DB]: "app_id" extends keyof DB[Table] ? Table : never }[keyof DB];

/** Deletes the rows of an app from a table, at most 5,000 per transaction. Yields and can be stopped after each. */
export async function* deleteInSteps(db: Database, table: TableOfApps, appId: string): AsyncGenerator<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where app_id = ${appId} and ctid = any(array(
        select ctid from ${sql.table(table)} where app_id = ${appId} limit ${sql.lit(rowsPerStep)}))`.execute(db);
    yield;
    if (numAffectedRows < rowsPerStep) return;
  }
}
