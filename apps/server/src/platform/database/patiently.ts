import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Transaction } from "./database.ts";

/** A table that somebody writes for longer holds up all others for no longer than this; then it is tried again. */
const lockTimeoutMs = 300;
/** A lock that a vacuum has, and whoever changes a table without being in the way of those who write it. */
const vacuumLock = "ShareUpdateExclusiveLock";
const attemptsMax = 100;
const pauseMs = 200;

/** Whether a lock was waited for in vain. */
export const isOfLock = (error: unknown): boolean =>
  ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");

/**
 * How long to wait for a lock. A vacuum that PostgreSQL has begun by itself may have it for hours, but gives it up for whoever
 * has waited for it for `deadlock_timeout`, a second by default.
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
 * Does something in a transaction that waits for no lock for long, again and again for up to 50 seconds; throws what
 * `isOfLock` then.
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
 * Locks tables in a transaction against everybody, who never wait for it for long either; keeps what the transaction has
 * locked before. Throws what `isOfLock` where somebody writes for longer than 50 seconds.
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
