import { type Kysely, sql, type Transaction } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";

const lockKey = 506_343_103;

/** Keeps sweeps from deleting unreferenced files until the transaction, which will reference them, ends. */
export async function holdSweep(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockKey})`.execute(tx);
}

/** Whether a transaction holds files that only it references yet. */
export async function isSweepHeld(db: Kysely<DB>): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and classid = 0 and objid = ${lockKey} and datname = current_database()
    ) as held`.execute(db);
  return rows[0]?.held ?? false;
}
