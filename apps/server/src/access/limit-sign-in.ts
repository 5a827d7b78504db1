import { createHash } from "node:crypto";
import { preparedStatement } from "../platform/database/statements.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { countHitsSql, retryAfterSeconds } from "../platform/limits/rate-limit.ts";

const attemptsOfAddressMax = 30;
const attemptsOnAccountMax = 10;

const countAttempt = preparedStatement({
  name: "count_sign_in",
  parameters: { bucket: "text", now: "timestamptz" },
  row: { bucket: "text", hits: "integer", window_started_at: "timestamptz" },
  text: ({ bucket, now }) => countHitsSql(`select ${bucket}, ${now}, 1`),
});

/**
 * Counts an attempt to come in, in every process of the deployment: at most 30 a minute from one address and 10 a minute
 * on one account, right or wrong. Throws `rate_limit_exceeded`.
 */
export async function limitSignIn(deps: Deps, address: string, account: string): Promise<void> {
  await limit(deps, `sign-in-from:${address}`, attemptsOfAddressMax);
  const hashed = createHash("sha256").update(account.toLowerCase()).digest("base64url");
  await limit(deps, `sign-in-to:${hashed}`, attemptsOnAccountMax);
}

async function limit({ pool, clock }: Deps, bucket: string, max: number) {
  const now = clock.now();
  const [hit] = await countAttempt(pool, { bucket, now });
  if (hit && hit.hits > max) {
    throw new Refusal("rate_limit_exceeded", {}, { "retry-after": `${retryAfterSeconds(hit.window_started_at, now)}` });
  }
}
