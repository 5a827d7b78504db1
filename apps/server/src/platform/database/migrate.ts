import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { OperatorError } from "../errors.ts";
import { migrateJobs } from "../jobs/jobs.ts";

const folder = new URL("../../../migrations/", import.meta.url);
const lockKey = 5_063_431_001;

/**
 * Brings the database and the job queue's own schema up to date under a lock, each migration in a transaction of its own.
 * Returns the names of those of ours that were applied.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const files = await listFiles();
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    await client.query(`create table if not exists schema_migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    const landed = await client.query<{ name: string; sha256: string }>("select name, sha256 from schema_migrations");
    const sha256Of = new Map(landed.rows.map((row) => [row.name, row.sha256]));
    refuseNewer([...sha256Of.keys()], files);
    await migrateJobs(pool);
    const applied: string[] = [];
    for (const name of files) {
      const text = await readFile(new URL(name, folder), "utf8");
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (sha256Of.has(name)) {
        if (sha256Of.get(name) !== sha256)
          throw new OperatorError(`Migration ${name} was edited after it had been applied.`);
        continue;
      }
      await client.query("begin");
      await client.query(text);
      await client.query("insert into schema_migrations (name, sha256) values ($1, $2)", [name, sha256]);
      await client.query("commit");
      applied.push(name);
    }
    return applied;
  } finally {
    // Closing the connection gives the lock back, and rolls back what a failure left open.
    client.release(true);
  }
}

/** The migrations that the next start would apply. Changes nothing. Throws an `OperatorError` for a newer database. */
export async function findPendingMigrations(client: pg.Client): Promise<string[]> {
  const files = await listFiles();
  if (!(await isMigrated(client))) return files;
  const landed = await client.query<{ name: string }>("select name from schema_migrations");
  const names = landed.rows.map(({ name }) => name);
  refuseNewer(names, files);
  return files.filter((name) => !names.includes(name));
}

/** Whether a database is Lodge's, of whatever version. */
export async function isMigrated(client: pg.Client): Promise<boolean> {
  const known = await client.query(
    "select from pg_tables where schemaname = 'public' and tablename = 'schema_migrations'",
  );
  return known.rowCount !== 0;
}

const listFiles = async () => (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

function refuseNewer(landed: string[], files: string[]) {
  const unknown = landed.filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new OperatorError(
      `The database is newer than this Lodge: it has ${unknown.join(", ")}. Start the newer version.`,
    );
  }
}
