import assert from "node:assert/strict";
import { test } from "node:test";
import { keyBelowAll, keyBetween, keysBetween } from "./position.ts";

test("there is always a key between two different keys, and it never ends in 0", () => {
  const cases: [string, string][] = [
    ["", "1"],
    ["", "001"],
    ["1", "2"],
    ["1", "101"],
    ["0f", "1"],
    ["0ff", "1"],
    ["019a0000", "019a0001"],
    ["019afffe", "019affff8"],
    ["01", "0100000001"],
  ];
  for (const [lower, upper] of cases) {
    let [low, high] = [lower, upper];
    for (let step = 0; step < 200; step++) {
      const key = keyBetween(low, high) ?? "";
      assert.ok(low < key && key < high, `${low} < ${key} < ${high}`);
      assert.ok(!key.endsWith("0"), key);
      if (step % 3 === 0) low = key;
      else high = key;
    }
  }
});

test("there is no key between two keys that differ only by trailing zeros", () => {
  for (const [lower, upper] of [
    ["2", "1"],
    ["1", "1"],
    ["1", "10"],
    ["", "0"],
    ["100", "1000"],
  ] as const) {
    assert.equal(keyBetween(lower, upper), undefined);
    assert.deepEqual(keysBetween(lower, upper, 3), []);
  }
});

test("many keys between two keys are in order, and grow slowly", () => {
  for (const count of [0, 1, 2, 3, 100]) {
    const keys = keysBetween("019a0000", "019a0001", count);
    assert.equal(new Set(keys).size, count);
    assert.deepEqual(keys, [...keys].sort().reverse());
    for (const key of keys) assert.ok("019a0000" < key && key < "019a0001" && key.length <= 8 + 4, key);
  }
});

test("a later key for the bottom sorts below earlier ones, and below every id", () => {
  const earlier = "01a1fc1a21dd7e7bb07855baf81cf3a3";
  const later = "01a1fc1a21de7e7bb07855baf81cf3a3";
  assert.ok(keyBelowAll(later) < keyBelowAll(earlier));
  assert.ok(keyBelowAll(earlier) < earlier);
});
