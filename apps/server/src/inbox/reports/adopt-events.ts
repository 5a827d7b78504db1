import type pg from "pg";

/**
 * Moves restored events to the start of the polling order if their transactions, which are of another database, lie
 * ahead of this one: otherwise polls would return neither them nor newer events until it has caught up.
 */
export async function adoptEvents(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(`
    update events set transaction_id = '0' where (app_id, id) in (
      select event.app_id, event.id from apps cross join lateral (
        select app_id, id from events
        where events.app_id = apps.id and transaction_id >= pg_snapshot_xmax(pg_current_snapshot())) event)`);
  return rowCount ?? 0;
}
