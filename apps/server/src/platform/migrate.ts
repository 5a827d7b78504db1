import type pg from "pg";
import { applyMigrations, findPendingMigrations } from "./database/migrations.ts";
import { schemaOf } from "./database/schema.ts";
import { migrateJobs } from "./jobs/jobs.ts";

const lockKey = 5_063_431_001;

/**
 * Migrates the database and the job queue's own schema under a lock. Returns the names of Lodge's migrations that were
 * applied. Throws an `OperatorError` for a database that is newer or from before 0.1.0, without changing it.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    await makeSchema(client, schemaOf(pool));
    const pending = await findPendingMigrations(client);
    await migrateJobs(pool);
    await applyMigrations(client);
    return pending;
  } finally {
    // Closing the connection releases the lock, and rolls back an open transaction.
    client.release(true);
  }
}

async function makeSchema(client: pg.ClientBase, schema: string | undefined) {
  if (schema === undefined) return;
  const { rowCount } = await client.query("select from pg_namespace where nspname = $1", [schema]);
  if (rowCount === 0) await client.query(`create schema ${schema}`); // a user without the privilege may find it already created
}
