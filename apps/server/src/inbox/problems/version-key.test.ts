import assert from "node:assert/strict";
import { test } from "node:test";
import { versionKey } from "./version-key.ts";

test("keys sort as versions do", () => {
  const versions = [
    "0.9",
    "1.0.0-alpha",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0",
    "1.0.0+17",
    "1.0.1",
    "v1.9",
    "1.10.0",
    "1.10.0.4 (812)",
    "2026.11.21",
  ];
  const keys = versions.map((version) => versionKey(version) ?? "");
  assert.deepEqual(keys.toSorted(), keys);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(versionKey("1.2"), versionKey("1.2.0"));
});

test("a version without numbers has no sort key", () => {
  for (const version of ["9f8e7d6", "main", "", "release-7", "1.".repeat(10_000)])
    assert.equal(versionKey(version), undefined);
});
