import type pg from "pg";
import type { Clock } from "../clock.ts";
import { preparedStatement } from "../database/statements.ts";
import { Refusal } from "../errors.ts";
import { countHitsSql, retryAfterSeconds } from "./rate-limit.ts";
import type { RedisRates } from "./redis-rates.ts";

const countHit = preparedStatement({
  name: "count_hit",
  parameters: { bucket: "text", now: "timestamptz" },
  row: { bucket: "text", hits: "integer", window_started_at: "timestamptz" },
  text: ({ bucket, now }) => countHitsSql(`select ${bucket}, ${now}, 1`),
});

/** Who counts: Redis, or the database where there is none. */
type Counters = { rates: RedisRates | undefined };

/**
 * Counts a request in a bucket that every process of the deployment shares. Throws `rate_limit_exceeded` where there were
 * more than `perMinuteMax` in its minute.
 */
export async function limitRate(
  { pool, clock, rates }: Counters & { pool: pg.Pool; clock: Clock },
  bucket: string,
  perMinuteMax: number,
): Promise<void> {
  const now = clock.now();
  const [hit] = rates ? [] : await countHit(pool, { bucket, now });
  const refusal = await refusalOfRate({ rates }, bucket, perMinuteMax, hit, now);
  if (refusal) throw refusal;
}

/** What a statement that counts has counted; nothing where Redis is to. */
type Counted = { hits: number | null; window_started_at: Date | null };

/**
 * The refusal of a request that is one too many in its bucket: by what the statement that found out who asks has counted
 * along, or, with REDIS_URL, by Redis, which is asked now.
 */
export async function refusalOfRate(
  { rates }: Counters,
  bucket: string,
  perMinuteMax: number,
  counted: Counted | undefined,
  now: Date,
): Promise<Refusal | undefined> {
  if (rates) {
    const waitSeconds = await rates.count(bucket, perMinuteMax);
    return waitSeconds === undefined ? undefined : rateExceeded(waitSeconds);
  }
  if (counted?.hits == null || !counted.window_started_at) throw new Error("a request was not counted");
  return counted.hits > perMinuteMax ? rateExceeded(retryAfterSeconds(counted.window_started_at, now)) : undefined;
}

/** The refusal of what comes too often, with when to come again. */
export const rateExceeded = (retryAfterSeconds: number): Refusal =>
  new Refusal("rate_limit_exceeded", {}, { "retry-after": `${retryAfterSeconds}` });
