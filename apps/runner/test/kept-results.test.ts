import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CallError } from "@lodge/contract/call";
import { openKeptResults } from "../src/kept-results.ts";
import { openLodgeServer } from "../src/lodge-server.ts";

test("a result is delivered even if the log of its run is full", async () => {
  const workDir = await mkdtemp(join(tmpdir(), "lodge-kept-"));
  try {
    const kept = openKeptResults(workDir, "token");
    const run = { id: "1", fence: 4 };
    const log = { offset: 0, entries: [{ kind: "note" as const, text: "t", at: new Date().toISOString() }] };
    await kept.keep({ run, result: { outcome: "no_change" }, log });
    const finished: unknown[] = [];
    const server = {
      ...openLodgeServer("http://127.0.0.1:1", "token", () => {}),
      appendLog: async () => {
        throw new CallError("too_many", "There are too many.", { status: 409 });
      },
      finish: async (...result: unknown[]) => void finished.push(...result.slice(0, 2)),
    };
    await kept.deliver(server, new AbortController().signal);
    assert.deepEqual(finished, [run, { outcome: "no_change" }]);
    assert.deepEqual(await readdir(workDir), []);
  } finally {
    await rm(workDir, { recursive: true });
  }
});
