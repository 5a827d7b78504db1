import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { fillReports } from "./fill-reports.ts";
import { printTable, writeResults } from "./results.ts";
import { signInAt } from "./sign-in-at.ts";
import { percentile, rounded } from "./statistics.ts";

// How long the pages of an inbox take when its app has reported a million times: 4,000 problems with four fifths of the
// events, the most frequent with a hundred thousand, and as many single reports. Times are those of whole requests.
const events = 1_000_000;
const problems = 4_000;
const rounds = 40;
const targets = { opensMs: 100, searchP95Ms: 300 };
const password = randomUUID();

const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
let server: ChildServer | undefined;
try {
  const { appId } = await fill();
  server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, "service"),
    LODGE_SECRET: randomUUID(),
  });
  const get = await signInAt(`http://127.0.0.1:${server.port}/api/dashboard`, "ada@bench.test", password);
  const inbox = `/apps/${appId}/inbox`;
  const first = (await get(`${inbox}?order=frequent&show=problems`)) as {
    entries: { problem: { id: string; lastEventId: string } }[];
    nextCursor: string;
  };
  const { id: problemId, lastEventId } = first.entries[0]?.problem ?? { id: "", lastEventId: "" };
  const cursor = encodeURIComponent(first.nextCursor);
  const asked: Record<string, (round: number) => string> = {
    "opens, newest": () => inbox,
    "opens, most frequent": () => `${inbox}?order=frequent`,
    "opens, single reports": () => `${inbox}?show=reports`,
    "the next page": () => `${inbox}?order=frequent&cursor=${cursor}`,
    inboxes: () => "/inboxes",
    histogram: () => `${inbox}/histogram?days=30`,
    choices: () => `${inbox}/choices`,
    "the largest problem": () => `/problems/${problemId}`,
    "its events": () => `/problems/${problemId}/events`,
    "an event": () => `/events/${lastEventId}`,
    "filter: environment": (round) => `${inbox}?environment=${round % 2 ? "production" : "staging"}`,
    "filter: rare version": (round) => `${inbox}?version=1.${round}.0`,
    "filter: tag and kind": (round) => `${inbox}?kind=crash&tag=${encodeURIComponent(`plan=plan ${round % 5}`)}`,
    "search: a rare word": (round) => `${inbox}?text=word${round * 487}x`,
    "search: part of words": (round) => `${inbox}?text=ord${round * 13}`,
    "search: in every report": () => `${inbox}?text=happened`,
    "search: in one of a thousand": (round) => `${inbox}?text=rarely${round % 3}`,
    "search: nowhere": (round) => `${inbox}?text=nowhere${round}`,
    "search: with a filter": (round) => `${inbox}?environment=staging&text=ord${round * 17}`,
  };
  const results: Record<string, { p50Ms: number; p95Ms: number; maxMs: number }> = {};
  for (const [name, path] of Object.entries(asked)) {
    await get(path(0));
    const times: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const began = performance.now();
      await get(path(round));
      times.push(performance.now() - began);
    }
    const at = (fraction: number) => rounded(percentile(times, fraction), 1);
    results[name] = { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: rounded(Math.max(...times), 1) };
  }
  const wanted = (name: string) => (name.startsWith("search") ? targets.searchP95Ms : targets.opensMs);
  printTable(
    ["of a million events", "p50 ms", "p95 ms", "max ms", "wanted"],
    Object.entries(results).map(([name, { p50Ms, p95Ms, maxMs }]) => [
      name,
      ...[p50Ms, p95Ms, maxMs].map(String),
      `< ${wanted(name)}`,
    ]),
  );
  const missed = Object.entries(results).filter(([name, { p95Ms }]) => p95Ms >= wanted(name));
  console.log(missed.length === 0 ? "\nHeld." : `\nNOT held: ${missed.map(([name]) => name).join(", ")}`);
  await writeResults("inbox", { load: { events, problems, rounds }, results, targets });
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await server?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Makes an organisation, and what a year of reports leaves behind, straight in the database. */
async function fill() {
  const migrating = openPool(postgres.address, createLog("warn"));
  await migrate(migrating);
  await migrating.end();
  const pool = openPool(postgres.address, createLog("warn"), 1); // whose session has a temporary table
  try {
    const { organisation, apps } = await applyWorld(makeBasics(pool), {
      organisation: { name: "Bench", slug: "bench" },
      members: [{ email: "ada@bench.test", name: "Ada", role: "owner", password }],
      apps: [{ name: "App", slug: "app", keys: ["default"] }],
    });
    const appId = apps[0]?.id ?? "";
    const reporting = { organisationId: organisation.id, appId, keyId: apps[0]?.keys[0]?.id ?? "" };
    await fillReports(pool, reporting, { events, problems, everySeconds: 30 });
    await pool.query("vacuum analyze");
    return { appId };
  } finally {
    await pool.end();
  }
}
