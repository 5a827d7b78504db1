import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../errors.ts";
import { takeTurns } from "./take-turns.ts";

test("work of a key runs up to the limit, further work waits in order, and the excess is refused", async () => {
  const turns = takeTurns({ atOnce: 2, waitingMax: 2 });
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const run = (key: string, name: string) => {
    const end = Promise.withResolvers<string>();
    ends.set(name, end);
    return turns(key, () => {
      started.push(name);
      return end.promise;
    });
  };
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => run("acme", name));
  await assert.rejects(run("acme", "e"), (error: Refusal) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.headers], ["rate_limit_exceeded", { "retry-after": "1" }]);
    return true;
  });
  const other = run("umbra", "f");
  assert.deepEqual(started, ["a", "b", "f"], "each key has its own limit");

  ends.get("b")?.reject(new Error("it failed"));
  await assert.rejects(b as Promise<string>, /it failed/);
  assert.deepEqual(started, ["a", "b", "f", "c"], "failed work frees its place");
  for (const name of ["a", "c", "d", "f"]) ends.get(name)?.resolve(name);
  assert.deepEqual(await Promise.all([a, c, d, other]), ["a", "c", "d", "f"]);
  const again = run("acme", "g");
  ends.get("g")?.resolve("g");
  assert.equal(await again, "g");
});
