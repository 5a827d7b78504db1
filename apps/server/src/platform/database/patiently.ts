import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Transaction } from "./database.ts";

/** The lock timeout of an attempt: while it waits, it also blocks other transactions. */
const lockTimeoutMs = 300;
/** The lock of a vacuum, and of changes to a table that do not block writes. */
const vacuumLock = "ShareUpdateExclusiveLock";
const attemptsMax = 100;
const pauseMs = 200;

/** Whether a lock timed out. */
export const isOfLock = (error: unknown): boolean =>
  ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");

/**
 * The lock timeout. An autovacuum may hold a lock for hours, but releases it if another transaction has waited for
 * `deadlock_timeout`, a second by default.
 */
async function findTimeoutMs(db: Database): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select ${sql.lit(lockTimeoutMs)} + case when exists (
      select from pg_locks where locktype = 'relation' and mode = ${sql.lit(vacuumLock)} and granted
        and database = (select oid from pg_database where datname = current_database())
    ) then (1000 * extract(epoch from current_setting('deadlock_timeout')::interval))::integer else 0 end as ms`.execute(
    db,
  );
  return rows[0]?.ms ?? lockTimeoutMs;
}

/**
 * Runs `work` in a transaction with a short lock timeout, and retries for up to 50 seconds. Then throws an error for
 * which `isOfLock` is true.
 */
export async function patiently(db: Database, work: (tx: Transaction) => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const timeoutMs = await findTimeoutMs(db);
      await db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(timeoutMs)}`.execute(tx);
        await work(tx);
      });
      return;
    } catch (error) {
      if (!isOfLock(error) || attempt === attemptsMax) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Locks tables exclusively in a transaction, without blocking other transactions for long. Keeps earlier locks of the
 * transaction. Throws an error for which `isOfLock` is true after 50 seconds.
 */
export async function lockPatiently(tx: Transaction, tables: readonly string[]): Promise<void> {
  const names = sql.join(tables.map((table) => sql.table(table)));
  await sql`savepoint unlocked`.execute(tx);
  for (let attempt = 1; ; attempt++) {
    try {
      await sql`set local lock_timeout = ${sql.lit(await findTimeoutMs(tx))}`.execute(tx);
      await sql`lock table ${names} in access exclusive mode`.execute(tx);
      await sql`set local lock_timeout = 0`.execute(tx);
      return;
    } catch (error) {
      if (!isOfLock(error) || attempt === attemptsMax) throw error;
      await sql`rollback to savepoint unlocked`.execute(tx);
      await sleep(pauseMs);
    }
  }
}
