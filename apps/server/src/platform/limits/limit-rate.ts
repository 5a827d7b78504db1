import { preparedStatement } from "../database/statements.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../errors.ts";
import { countHitsSql, retryAfterSeconds } from "./rate-limit.ts";

const countHit = preparedStatement({
  name: "count_hit",
  parameters: { bucket: "text", now: "timestamptz" },
  row: { bucket: "text", hits: "integer", window_started_at: "timestamptz" },
  text: ({ bucket, now }) => countHitsSql(`select ${bucket}, ${now}, 1`),
});

/**
 * Counts a request in a bucket that every process of the deployment shares. Throws `rate_limit_exceeded` where there were
 * more than `perMinuteMax` in its minute.
 */
export async function limitRate({ pool, clock }: Deps, bucket: string, perMinuteMax: number): Promise<void> {
  const now = clock.now();
  const [hit] = await countHit(pool, { bucket, now });
  if (hit && hit.hits > perMinuteMax) throw rateExceeded(retryAfterSeconds(hit.window_started_at, now));
}

/** The refusal of what comes too often, with when to come again. */
export const rateExceeded = (retryAfterSeconds: number): Refusal =>
  new Refusal("rate_limit_exceeded", {}, { "retry-after": `${retryAfterSeconds}` });
