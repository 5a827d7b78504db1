import type pg from "pg";
import { OperatorError } from "../../platform/errors.ts";

/**
 * Throws an `OperatorError` for the database of another cell: served as this one, it would not know the other cell's
 * people.
 */
export async function requireCell(pool: pg.Pool, name: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>("select name from cell_identity");
  const [is] = rows;
  if (is && is.name !== name) {
    throw new OperatorError(`The database is the cell ${is.name}, not the cell ${name}.`);
  }
}
