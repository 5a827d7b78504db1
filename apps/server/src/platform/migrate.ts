import type pg from "pg";
import { applyMigrations, findPendingMigrations } from "./database/migrations.ts";
import { migrateJobs } from "./jobs/jobs.ts";

const lockKey = 5_063_431_001;

/**
 * Brings the database and the job queue's own schema up to date under a lock. Returns the names of those migrations of ours
 * that were applied. Throws an `OperatorError` for a newer database, which it leaves as it is.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    const pending = await findPendingMigrations(client);
    await migrateJobs(pool);
    await applyMigrations(client);
    return pending;
  } finally {
    // Closing the connection gives the lock back, and rolls back what a failure left open.
    client.release(true);
  }
}
