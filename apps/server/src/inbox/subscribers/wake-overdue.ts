import type { Deps } from "../../platform/deps.ts";
import { wakeSubscribersSql } from "./wake-subscribers.ts";

/** Due deliveries are normally claimed promptly, or as soon as a lane has room. */
const overdueSeconds = 60;

/**
 * Wakes subscribers with deliveries that have been due for more than a minute without being claimed. Every change that
 * makes a delivery due also adds a job, but a job can get lost for reasons outside this table: a worker, its lanes, or
 * a crash.
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
