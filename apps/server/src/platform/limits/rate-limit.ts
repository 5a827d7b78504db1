import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";

/** The sliding window of a rate limit: an allowed request counts for 60 seconds. */
export const windowMs = 60_000;
/**
 * The most moments that a bucket stores. With a higher limit, requests within `momentsMs` share the latest moment,
 * except for the first moment.
 */
export const momentsMax = 100;
export const momentsMs = (2 * windowMs) / momentsMax;

const sweptAfterMs = 3_600_000;
/** The allowed clock difference between machines. Entries further in the future come from a wrong clock. */
const aheadMsMax = 5_000;

// The index of a bucket's latest moment that no longer counts, and of its latest moment that is not from a wrong clock.
const over = `width_bucket(excluded.counted_at_ms - ${windowMs}, r.at_ms)`;
const latest = `width_bucket(excluded.counted_at_ms + ${aheadMsMax}, r.at_ms)`;
const granted = `least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[${latest}] - r.total[${over}])))`;
/** The latest moment that is kept unchanged: the last but one if the allowed requests join the latest. */
const kept = `${latest} - case when r.at_ms[${latest}] >= excluded.counted_at_ms
        or (excluded.per_minute_max > ${momentsMax} and r.at_ms[${latest} - 1] > excluded.counted_at_ms - ${momentsMs})
      then 1 else 0 end`;

/**
 * The statement that counts requests exactly in buckets of `rate_limits`, which all processes of the deployment share.
 * `counted` is a query of bucket, time, number of requests and limit per minute. It must return each bucket once, in
 * the order of the buckets, so that two statements cannot deadlock. Returns bucket, the number of `granted` requests,
 * and `oldest_at_ms`: the next request is allowed 60 s after it.
 */
export const countHitsSql = (counted: string) => `
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (${counted}) request(bucket, now, count, rate)
  ) request(bucket, now_ms, count, rate)
  on conflict (bucket) do update set
    counted_at_ms = excluded.counted_at_ms, per_minute_max = excluded.per_minute_max,
    granted = ${granted},
    at_ms = 0::bigint || case when ${granted} = 0 then r.at_ms[${over} + 1:${latest}]
      else r.at_ms[${over} + 1:${kept}] || greatest(excluded.counted_at_ms, r.at_ms[${latest}]) end,
    total = case when ${granted} = 0 then r.total[${over}:${latest}]
      else r.total[${over}:${kept}] || (r.total[${latest}] + ${granted}) end
  returning bucket, granted, at_ms[2] as oldest_at_ms`;

/** The whole seconds, at least 1, until the oldest request of a full bucket no longer counts. */
export const retryAfterSeconds = (oldestAtMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((oldestAtMs + windowMs - nowMs) / 1000));

/**
 * Deletes buckets that were last used more than an hour ago, or that are as far in the future, since there may be one
 * for each address of the internet. Keeps a bucket that is being counted, without waiting for it.
 */
export async function sweepRateLimits({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  const now = clock.now().getTime();
  await sql`
    delete from rate_limits where bucket in (
      select bucket from rate_limits
      where counted_at_ms < ${now - sweptAfterMs} or counted_at_ms > ${now + sweptAfterMs}
      for update skip locked)
  `.execute(db);
}
