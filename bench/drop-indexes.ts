import type pg from "pg";

/** Drops the non-key indexes of tables, and returns the statements that recreate them, which speeds up bulk inserts. */
export async function dropIndexes(pool: pg.Pool, tables: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
    where tablename = any($1) and not exists (select from pg_constraint where conname = indexname)`,
    [tables],
  );
  for (const { name } of rows) await pool.query(`drop index "${name}"`);
  // On a partitioned table, this would not create the indexes of the partitions.
  return rows.map(({ definition }) => definition.replace(" ON ONLY ", " ON "));
}
