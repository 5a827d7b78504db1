import type pg from "pg";
import { until } from "./until.ts";

/**
 * Waits until `count` sessions of a database, or of one application name, wait for locks. Polls on new connections:
 * within a transaction PostgreSQL keeps showing the same activity.
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
