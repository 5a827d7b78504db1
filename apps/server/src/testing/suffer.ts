import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Child, startChild } from "./start-child.ts";
import type { Door } from "./start-door.ts";
import { until } from "./until.ts";

/** A process that shares a door's database, to be attacked. */
export async function startVictim(door: Door, more: Record<string, string> = {}) {
  const child = await startChild({
    ...door.env,
    LODGE_DATA_DIR: door.deps.config.dataDir,
    LODGE_SECRET: "a secret that only the tests know, long enough",
    LODGE_DEMO: "off",
    ...more,
  });
  await submitHonest(child, door);
  return child;
}

/** Sends a report as others do meanwhile. */
export async function submitHonest(child: Child, door: Door) {
  const form = new FormData();
  form.set("envelope", new Blob([JSON.stringify({ reportId: randomUUID() })]));
  const headers = { authorization: `Bearer ${door.key}` };
  const answer = await fetch(`${child.url}/api/ingest`, { method: "POST", headers, body: form });
  assert.equal(answer.status, 200, await answer.text());
}

/** Asks as others do while `attack` goes on, and tells by how much the process grew and how long others waited at most. */
export async function suffer(child: Child, door: Door, attack: () => Promise<void>) {
  const idle = await child.residentBytes();
  let highest = idle;
  let slowestMs = 0;
  let done = false;
  const timed = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  };
  const watching = until(async () => {
    await timed(() => fetch(`${child.url}/healthz`).then((answer) => answer.text()));
    await timed(() => submitHonest(child, door));
    highest = Math.max(highest, await child.residentBytes());
    return done;
  });
  await attack();
  done = true;
  await watching;
  return { grownMegabytes: Math.round((highest - idle) / 1e6), slowestMs: Math.round(slowestMs) };
}
