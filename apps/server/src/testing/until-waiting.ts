import type pg from "pg";
import { until } from "./until.ts";

/**
 * Waits until so many of a database, or of its sessions of one name, wait for what others have locked. Asks on connections of its own: within a transaction
 * PostgreSQL shows the same activity again and again.
 */
export const untilWaiting = (pool: pg.Pool, count = 1, application?: string): Promise<void> =>
  until(async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and ($1::text is null or application_name = $1)`,
      [application],
    );
    return rows.length === count;
  });
