import type pg from "pg";
import type { Clock } from "../clock.ts";
import { preparedStatement, type RowOf } from "../database/statements.ts";
import { Refusal } from "../errors.ts";
import { countHitsSql, retryAfterSeconds } from "./rate-limit.ts";
import type { RedisRates } from "./redis-rates.ts";

/** The columns with which a statement returns a counted request; null if Redis counts. */
export const countedColumns = { granted: "boolean?", oldest_at_ms: "bigint?" } as const;

const countHit = preparedStatement({
  name: "count_hit",
  parameters: { bucket: "text", now: "timestamptz", rate: "integer" },
  row: countedColumns,
  text: ({ bucket, now, rate }) => `with hit as (${countHitsSql(`select ${bucket}, ${now}, 1, ${rate}`)})
  select granted > 0 as granted, oldest_at_ms from hit`,
});

/** Redis counts, or the database if there is no Redis. */
type Counters = { rates: RedisRates | undefined };

/**
 * Counts a request in a bucket that all processes of the deployment share. Throws `rate_limit_exceeded` if
 * `perMinuteMax` requests were allowed in the last 60 seconds.
 */
export async function limitRate(
  { pool, clock, rates }: Counters & { pool: pg.Pool; clock: Clock },
  bucket: string,
  perMinuteMax: number,
): Promise<void> {
  const now = clock.now();
  const [hit] = rates ? [] : await countHit(pool, { bucket, now, rate: perMinuteMax });
  const refusal = await refusalOfRate({ rates }, bucket, perMinuteMax, hit, now);
  if (refusal) throw refusal;
}

/**
 * The refusal of a request above its rate limit, or undefined. The statement that authenticated the caller has counted
 * the request; with REDIS_URL, Redis counts it now.
 */
export async function refusalOfRate(
  { rates }: Counters,
  bucket: string,
  perMinuteMax: number,
  counted: RowOf<typeof countedColumns> | undefined,
  now: Date,
): Promise<Refusal | undefined> {
  if (rates) {
    const waitSeconds = await rates.count(bucket, perMinuteMax);
    return waitSeconds === undefined ? undefined : rateExceeded(waitSeconds);
  }
  if (counted?.granted == null || counted.oldest_at_ms === null) throw new Error("a request was not counted");
  return counted.granted ? undefined : rateExceeded(retryAfterSeconds(counted.oldest_at_ms, now.getTime()));
}

/** The refusal above a rate limit, with `Retry-After`. */
export const rateExceeded = (retryAfterSeconds: number): Refusal =>
  new Refusal("rate_limit_exceeded", {}, { "retry-after": `${retryAfterSeconds}` });
