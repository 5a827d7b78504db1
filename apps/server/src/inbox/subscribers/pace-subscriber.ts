import { wakeSubscribersSql } from "./wake-subscribers.ts";

/**
 * The CTE `throttled` of a subscriber with a rate limit, locked until the end of the statement: until when its attempts
 * are paid for (`slot_at`), the cost of one (`slot`), and how many may be made at once (`burst`). `appId` and
 * `subscriberId` are SQL expressions.
 */
export const throttledSql = (appId: string, subscriberId: string) => `throttled as materialized (
    select id, greatest(slot_at, now()) as slot_at, interval '1 minute' / per_minute as slot, ceil(per_minute / 60.0) as burst
    from subscribers where app_id = ${appId} and id = ${subscriberId} and per_minute is not null
    for no key update
  )`;

/** The number of attempts that the row of `throttled` allows now, as an SQL expression; null without a rate limit. */
export const allowanceSql =
  "floor(burst - extract(epoch from throttled.slot_at - now()) / extract(epoch from slot))::integer";

/**
 * CTEs that charge the row of `throttled` for the rows of `taken`. Once `allowance`, a column of `subscriber`, is used
 * up, the subscriber is paused until everything is paid for, when a job wakes it. `appId` is an SQL expression.
 */
export const chargeSubscriberSql = (
  appId: string,
  { taken, subscriber }: { taken: string; subscriber: string },
) => `paced as (
    update subscribers set slot_at = paid_until,
      paused_until = case when many >= allowance then paid_until else subscribers.paused_until end
    from throttled, ${subscriber}, (select count(*)::integer as many from ${taken}) taking,
      lateral (select throttled.slot_at + many * slot as paid_until) payment
    where subscribers.app_id = ${appId} and subscribers.id = throttled.id and many > 0
    returning subscribers.app_id, subscribers.id, many >= allowance as is_used_up, subscribers.paused_until
  ), woken as (${wakeSubscribersSql("select app_id, json_build_array(id), paused_until from paced where is_used_up")}
  )`;
