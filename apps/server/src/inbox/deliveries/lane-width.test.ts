import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaneWidth, makeSpare, openLaneWidth } from "./lane-width.ts";

/**
 * Makes rounds of attempts at a receiver, as many at the same time as the lane's width; `msOf` gives the duration of
 * each.
 */
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

test("the width of a slow receiver's lane doubles after each of its answers, up to 100", () => {
  const width = openLaneWidth(makeSpare());
  assert.deepEqual(
    [1, 1, 1, 1, 1].map((rounds) => attempt(width, rounds, () => 3_000)),
    [20, 40, 80, 100, 100],
  );
});

test("a receiver that answers immediately, or nearly times out, gets no more than the base", () => {
  assert.equal(
    attempt(openLaneWidth(makeSpare()), 50, () => 99),
    10,
  );
  assert.equal(
    attempt(openLaneWidth(makeSpare()), 50, () => 7_501),
    10,
  );
});

test("the lane of a receiver that handles messages one by one grows to about twice the base, and no further", () => {
  const atOnce = attempt(openLaneWidth(makeSpare()), 50, (count) => count * 160);
  assert.ok(atOnce >= 15 && atOnce <= 21, `${atOnce}`);
});

test("a lane without a backlog does not grow", () => {
  const width = openLaneWidth(makeSpare());
  for (let index = 0; index < 100; index++) {
    width.settle({ startedAt: 0, ms: 3_000, isDelivered: true, isBehind: false }, 0);
  }
  assert.equal(width.attempts(), 10);
});

test("failures of one round halve the width once, down to one, and successes restore the base", () => {
  const width = openLaneWidth(makeSpare());
  attempt(width, 5, () => 3_000);
  const fail = (startedAt: number, now: number) => {
    width.settle({ startedAt, ms: 15_000, isDelivered: false, isBehind: true }, now);
    return width.attempts();
  };
  assert.equal(fail(0, 10), 50);
  assert.equal(fail(5, 11), 50, "an attempt that had started before the first failure does not halve the width again");
  assert.equal(fail(12, 20), 25);
  for (let at = 30; at < 100; at += 10) fail(at, at);
  assert.equal(width.attempts(), 1);
  assert.equal(
    attempt(width, 10, () => 5),
    10,
  );
});

test("lanes share the attempts above their base, and give them back when they end", () => {
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
