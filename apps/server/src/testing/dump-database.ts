import type pg from "pg";

/** Every row of every table, to check that nothing has changed. */
export async function dumpDatabase(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    content[name] = (await pool.query(`select to_jsonb(t)::text as row from ${name} t order by 1`)).rows;
  }
  return content;
}
