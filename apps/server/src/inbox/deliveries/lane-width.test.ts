import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaneWidth, makeSpare, openLaneWidth } from "./lane-width.ts";

/** Attempts at a receiver, as many at once as the lane may have, round after round; `msOf` says how long each takes. */
function attempt(
  width: LaneWidth,
  rounds: number,
  msOf: (atOnce: number, index: number) => number,
  isDelivered = true,
) {
  for (let round = 0; round < rounds; round++) {
    const atOnce = width.attempts();
    for (let index = 0; index < atOnce; index++) {
      width.settle({ startedAt: 0, ms: msOf(atOnce, index), isDelivered, isBehind: true }, 0);
    }
  }
  return width.attempts();
}

test("a slow receiver gets twice as much at once after each of its answers, up to 100", () => {
  const width = openLaneWidth(makeSpare());
  assert.deepEqual(
    [1, 1, 1, 1, 1].map((rounds) => attempt(width, rounds, () => 3_000)),
    [20, 40, 80, 100, 100],
  );
});

test("a receiver that answers at once, or takes nearly as long as it may, gets no more than the base", () => {
  assert.equal(
    attempt(openLaneWidth(makeSpare()), 50, () => 99),
    10,
  );
  assert.equal(
    attempt(openLaneWidth(makeSpare()), 50, () => 7_501),
    10,
  );
});

test("a receiver that works one off after the other is made to wait about twice as long, and no longer", () => {
  const atOnce = attempt(openLaneWidth(makeSpare()), 50, (count) => count * 160);
  assert.ok(atOnce >= 15 && atOnce <= 21, `${atOnce}`);
});

test("a lane that is not behind does not grow", () => {
  const width = openLaneWidth(makeSpare());
  for (let index = 0; index < 100; index++) {
    width.settle({ startedAt: 0, ms: 3_000, isDelivered: true, isBehind: false }, 0);
  }
  assert.equal(width.attempts(), 10);
});

test("a failure halves, once for all that were under way, down to one, and successes bring the base back", () => {
  const width = openLaneWidth(makeSpare());
  attempt(width, 5, () => 3_000);
  const fail = (startedAt: number, now: number) => {
    width.settle({ startedAt, ms: 15_000, isDelivered: false, isBehind: true }, now);
    return width.attempts();
  };
  assert.equal(fail(0, 10), 50);
  assert.equal(fail(5, 11), 50, "it was under way when the first one failed");
  assert.equal(fail(12, 20), 25);
  for (let at = 30; at < 100; at += 10) fail(at, at);
  assert.equal(width.attempts(), 1);
  assert.equal(
    attempt(width, 10, () => 5),
    10,
  );
});

test("lanes share what they have above their base, and give it back when they end", () => {
  const spare = makeSpare();
  const widths = [1, 2, 3, 4].map(() => openLaneWidth(spare));
  assert.deepEqual(
    widths.map((width) => attempt(width, 10, () => 3_000)),
    [100, 100, 30, 10],
  );
  widths[0]?.end();
  assert.equal(
    attempt(widths[3] ?? openLaneWidth(spare), 10, () => 3_000),
    100,
  );
  for (const width of widths.slice(1)) width.end();
  assert.equal(spare.taken, 0);
});
