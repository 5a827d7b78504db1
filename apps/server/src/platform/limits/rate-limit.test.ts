import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumber } from "../../testing/random.ts";
import { startService } from "../../testing/start-service.ts";
import { Refusal } from "../errors.ts";
import { limitRate } from "./limit-rate.ts";
import { OwnRates } from "./own-rates.ts";

const windowMs = 60_000;
const lateMs = 1_200;

test("the database and a single process allow the same requests as an exact list of all requests", async () => {
  let now = 1_800_000_000_000;
  const clock = { now: () => new Date(now) };
  await using lodge = await startService({}, { clock });
  for (const rate of [1, 7, 100, 130]) {
    const own = new OwnRates();
    const letThrough: number[] = [];
    for (let request = 0; request < 400; request++) {
      now += Math.floor(randomNumber() * ((1.4 * windowMs) / rate));
      const refusal = await limitRate(lodge.deps, `rate:${rate}`, rate).catch((error: unknown) => error);
      const waitSeconds = own.count(`rate:${rate}`, rate, now);
      const retryAfter = refusal instanceof Refusal ? Number(refusal.headers["retry-after"]) : refusal;
      assert.equal(retryAfter, waitSeconds, "the database and the process give the same answer");
      const within = (ms: number) => letThrough.filter((at) => at > now - ms).length;
      if (waitSeconds === undefined) {
        assert.ok(within(windowMs) < rate, "no more requests are allowed than the rate");
        letThrough.push(now);
      } else {
        assert.ok(within(windowMs + (rate > 100 ? lateMs : 0)) >= rate, "no request is refused without need");
        const oldest = letThrough.at(-rate) ?? 0;
        const exact = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000));
        const lateSeconds = waitSeconds - exact;
        assert.ok(
          lateSeconds >= 0 && lateSeconds <= (rate > 100 ? 2 : 0) && waitSeconds <= 60,
          "Retry-After is exact, or up to 2 s late for a rate above 100",
        );
      }
    }
    const { rows } = await lodge.deps.pool.query<{ moments: number }>(
      "select cardinality(at_ms) as moments from rate_limits where bucket = $1",
      [`rate:${rate}`],
    );
    assert.ok((rows[0]?.moments ?? 0) <= Math.min(rate, 101) + 1, "no more moments are stored than necessary");
  }
});
