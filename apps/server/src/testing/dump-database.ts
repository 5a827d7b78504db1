import type pg from "pg";

/** Every row of every table, for seeing that nothing has changed. */
export async function dumpDatabase(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
  );
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    content[name] = (await pool.query(`select to_jsonb(t)::text as row from ${name} t order by 1`)).rows;
  }
  return content;
}
