import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Child, startChild } from "./start-child.ts";
import type { Door } from "./start-door.ts";
import { until } from "./until.ts";

/** A process that shares a service's database, to be attacked. */
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

/** Sends a report, as other clients do meanwhile. */
export async function submitHonest(child: Child, door: Door) {
  const form = new FormData();
  form.set("envelope", new Blob([JSON.stringify({ reportId: randomUUID() })]));
  const headers = { authorization: `Bearer ${door.key}` };
  const answer = await fetch(`${child.url}/api/ingest`, { method: "POST", headers, body: form });
  assert.equal(answer.status, 200, await answer.text());
}

/**
 * Sends requests as other clients do during `attack`. Returns by how much the process grew, and how often a probe and a
 * report were answered before the attack ended.
 */
export async function suffer(child: Child, door: Door, attack: () => Promise<void>) {
  const idle = await child.residentBytes();
  let highest = idle;
  let servedMeanwhile = 0;
  let done = false;
  const watching = until(async () => {
    await (await fetch(`${child.url}/healthz`)).text();
    await submitHonest(child, door);
    if (!done) servedMeanwhile += 1;
    highest = Math.max(highest, await child.residentBytes());
    return done;
  });
  await attack();
  done = true;
  await watching;
  return { grownMegabytes: Math.round((highest - idle) / 1e6), servedMeanwhile };
}
