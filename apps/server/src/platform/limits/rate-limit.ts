import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";

/**
 * Rate limits count in windows of one minute, each beginning with the first request after the last window ended. One that
 * lies in the future, because a clock was ahead, is begun anew.
 */
const windowMs = 60_000;
const sweptAfterMs = 3_600_000;
/** How far the clocks of several machines may lie apart. A window further ahead was begun by a clock that was wrong. */
const aheadSecondsMax = 5;
const goesOn = `r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '${aheadSecondsMax} seconds'`;

/**
 * The statement that counts requests in buckets of `rate_limits`, shared by every process of the deployment.
 * `counted` is a query of bucket, time and number of requests, each bucket once, in the order of the buckets: two
 * statements that lock the same ones must do so in one order. Returns bucket, hits and window_started_at.
 */
export const countHitsSql = (counted: string) => `
  insert into rate_limits as r (bucket, window_started_at, hits) ${counted}
  on conflict (bucket) do update set
    hits = case when ${goesOn}
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when ${goesOn}
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at`;

/** Whole seconds until the window of a refused request ends: at least 1. */
export const retryAfterSeconds = (windowStartedAt: Date, now: Date) =>
  Math.max(1, Math.ceil((windowStartedAt.getTime() + windowMs - now.getTime()) / 1000));

/**
 * Forgets the buckets whose window ended an hour ago or more, or lies as far in the future: there may be one for each address of the internet. What a
 * request counts at that moment stays, and neither waits for the other.
 */
export async function sweepRateLimits({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  const now = clock.now().getTime();
  const [before, after] = [new Date(now - sweptAfterMs), new Date(now + sweptAfterMs)];
  await sql`
    delete from rate_limits where bucket in (
      select bucket from rate_limits where window_started_at < ${before} or window_started_at > ${after}
      for update skip locked)
  `.execute(db);
}
