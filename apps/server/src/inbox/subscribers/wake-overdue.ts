import type { Deps } from "../../platform/deps.ts";
import { wakeSubscribersSql } from "./wake-subscribers.ts";

/** Due deliveries are taken at once, or as soon as a lane has room. */
const overdueSeconds = 60;

/**
 * Wakes the subscribers that have something due for longer than a minute which nobody has taken. Every change that
 * makes a delivery due adds a job as well, but the job's fate depends on more than this table: a worker, its lanes, a
 * crash between.
 */
export async function wakeOverdue({ pool }: Deps): Promise<void> {
  await pool.query(
    wakeSubscribersSql(`
      select app_id, json_agg(id), now() from subscribers
      where enabled and (paused_until is null or paused_until <= now()) and exists (
        select from deliveries
        where deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id and state in ('waiting', 'failed')
          and due_at < now() - interval '${overdueSeconds} seconds' and claimed_by is null)
      group by app_id`),
  );
}
