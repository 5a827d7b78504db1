import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";

/** A rate holds for any 60 seconds: a request counts until so long after it was let through. */
export const windowMs = 60_000;
/**
 * A bucket that may have more requests than this has them at so many moments: of those that come within `momentsMs`, all but
 * the first moment share one, the latest.
 */
export const momentsMax = 100;
export const momentsMs = (2 * windowMs) / momentsMax;

const sweptAfterMs = 3_600_000;
/**
 * The allowed difference between the clocks of several machines. Entries further ahead were counted by a wrong clock.
 */
const aheadMsMax = 5_000;

// Of the moments of a bucket: the latest one that counts no more, and the latest one that is not of a wrong clock.
const over = `width_bucket(excluded.counted_at_ms - ${windowMs}, r.at_ms)`;
const latest = `width_bucket(excluded.counted_at_ms + ${aheadMsMax}, r.at_ms)`;
const granted = `least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[${latest}] - r.total[${over}])))`;
/** The latest moment that stays as it is: the one before it where what is let through now joins the latest. */
const kept = `${latest} - case when r.at_ms[${latest}] >= excluded.counted_at_ms
        or (excluded.per_minute_max > ${momentsMax} and r.at_ms[${latest} - 1] > excluded.counted_at_ms - ${momentsMs})
      then 1 else 0 end`;

/**
 * The statement that counts requests in buckets of `rate_limits`, shared by every process of the deployment, exactly.
 * `counted` is a query of bucket, time, number of requests and how many are let through a minute, each bucket once, in the
 * order of the buckets: two statements that lock the same ones must do so in one order. Returns bucket, how many of them
 * are `granted`, and `oldest_at_ms`, 60 s after which there is room again.
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

/** Whole seconds until a bucket has room again whose oldest request was let through then: at least 1. */
export const retryAfterSeconds = (oldestAtMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((oldestAtMs + windowMs - nowMs) / 1000));

/**
 * Forgets the buckets that were last counted an hour ago or more, or as far in the future: there may be one for each
 * address of the internet. The count of a request at that moment stays, and neither waits for the other.
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
