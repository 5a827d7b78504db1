import type pg from "pg";

/**
 * Puts events at the beginning of the order in which they are polled whose transactions this database has not come to:
 * they were restored from another one, and nobody would be told of them, or of newer ones, until it has.
 */
export async function adoptEvents(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(`
    update events set transaction_id = '0' where (app_id, id) in (
      select event.app_id, event.id from apps cross join lateral (
        select app_id, id from events
        where events.app_id = apps.id and transaction_id >= pg_snapshot_xmax(pg_current_snapshot())) event)`);
  return rowCount ?? 0;
}
