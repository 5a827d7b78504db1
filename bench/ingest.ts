import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppliedWorld, World } from "@lodge/contract/world";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import { cpuBetween, cpuSeconds, databaseCpu, residentMegabytes } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { median, percentile, rounded } from "./statistics.ts";
import type { Uploads, UploadsResult } from "./upload-generator.ts";

// Measures how fast reports are ingested, compared with a server that only parses, hashes, flushes and inserts
// (reference-ingest.ts). Alternates between the two, each of which writes to its own folder on one disk.
const connections = 16;
const rounds = 5;
const mebibyte = 1_048_576;
/** Twenty frames, half of them the app's own. */
const stack = Array.from(
  { length: 20 },
  (_, frame) =>
    `    at render${frame} (https://shop.example.test/${frame % 2 ? "src" : "node_modules/lib"}/file${frame}.js:${frame}:17)`,
).join("\n");
const shapes: { name: string; attachments: number; attachmentBytes: number; count: number; stack?: string }[] = [
  { name: "envelope only", attachments: 0, attachmentBytes: 0, count: 4000 },
  { name: "all in one problem, with a stack", attachments: 0, attachmentBytes: 0, count: 4000, stack },
  { name: "1 × 1 MiB", attachments: 1, attachmentBytes: mebibyte, count: 400 },
  { name: "5 × 1 MiB", attachments: 5, attachmentBytes: mebibyte, count: 96 },
  { name: "1 × 10 MiB", attachments: 1, attachmentBytes: 10 * mebibyte, count: 64 },
];
const crowd = { uploads: 50, attachmentBytes: 20_000_000 };
const targets = { rateRatioMin: 0.7, sentryRatioMin: 0.8, crowdMegabytesMax: 150, megabytesMax: 200 };

const world: World = {
  organisation: { name: "Bench", slug: "bench" },
  apps: [{ name: "App", slug: "app", keys: ["default"] }],
};

const columns = ["ratePerSecond", "p99Ms", "serverCpuMicros", "databaseCpuMicros", "peakMegabytes"] as const;
type Round = Record<(typeof columns)[number], number>;
type Contestant = { server: ChildServer; database: string };
type Shape = (typeof shapes)[number] & { sentryNumber?: number };
type SentryResult = { ingest: Round; sentry: Round; rateRatio: number };
type ShapeResult = { name: string; service: Round; reference: Round; rateRatio: number };

const generator = startGenerator<Uploads, UploadsResult>("./upload-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const observer = openPool({ ...postgres.address, database: "postgres" }, createLog("silent"));
const servers: ChildServer[] = [];
try {
  const applied = await prepareDatabases();
  const bearer = applied.apps[0]?.keys[0]?.key ?? "";
  const service = await startService();
  const reference = await startReference(applied);
  const results: ShapeResult[] = [];
  for (const shape of shapes) {
    await drive(service, bearer, shape);
    await drive(reference, bearer, shape); // two warm-up rounds
    const taken: Record<"service" | "reference", Round[]> = { service: [], reference: [] };
    for (let round = 0; round < rounds; round++) {
      taken.service.push(await drive(service, bearer, shape));
      taken.reference.push(await drive(reference, bearer, shape));
      process.stderr.write("..");
    }
    const rateRatios = taken.service.map(
      (round, index) => round.ratePerSecond / (taken.reference[index] ?? round).ratePerSecond,
    );
    results.push({
      name: shape.name,
      service: medians(taken.service),
      reference: medians(taken.reference),
      rateRatio: rounded(median(rateRatios), 3),
    });
  }
  const sentry = await compareSentry(service, bearer, applied.apps[0]?.number ?? 0);
  process.stderr.write("\n");
  const crowdMegabytes = await measureCrowd(service.server, bearer);
  await report(results, sentry, crowdMegabytes);
} finally {
  generator.stop();
  await Promise.all(servers.map((server) => server.stop()));
  await observer.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Migrates the service's database, fills it with the world, and copies it for the reference. */
async function prepareDatabases(): Promise<AppliedWorld> {
  const pool = openPool(postgres.address, createLog("warn"));
  await migrate(pool);
  const applied = await applyWorld(makeBasics(pool), world);
  await pool.end();
  await observer.query(`create database reference template ${postgres.address.database}`);
  return applied;
}

async function startService(): Promise<Contestant> {
  const { database } = postgres.address;
  const server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, database),
    LODGE_DATA_DIR: join(folder, "service"),
    LODGE_SECRET: randomUUID(),
  });
  servers.push(server);
  return { server, database };
}

async function startReference({ apps: [app] }: AppliedWorld): Promise<Contestant> {
  const database = "reference";
  const server = await startChildServer("bench/reference-ingest.ts", [], {
    DATABASE_URL: databaseUrl(postgres.address, database),
    APP_ID: app?.id ?? "",
    KEY_ID: app?.keys[0]?.id ?? "",
    FOLDER: join(folder, "reference"),
  });
  servers.push(server);
  return { server, database };
}

async function drive(
  { server, database }: Contestant,
  bearer: string,
  { count, attachments, attachmentBytes, stack, sentryNumber }: Shape,
): Promise<Round> {
  const serverCpuBefore = await cpuSeconds(server.pid);
  const databaseBefore = await databaseCpu(observer, database);
  const stopWatching = watchMemory(server.pid);
  const load = { port: server.port, bearer, connections, count, attachments, attachmentBytes };
  const result = await generator.run({
    ...load,
    ...(stack !== undefined && { stack }),
    ...(sentryNumber !== undefined && { sentryNumber }),
  });
  const peakMegabytes = await stopWatching();
  if (result.statuses["200"] !== count)
    throw new Error(`not every answer was a 200: ${JSON.stringify(result.statuses)}`);
  return {
    ratePerSecond: count / result.seconds,
    p99Ms: percentile(result.latenciesMs, 0.99),
    serverCpuMicros: (((await cpuSeconds(server.pid)) - serverCpuBefore) / count) * 1e6,
    databaseCpuMicros: (cpuBetween(databaseBefore, await databaseCpu(observer, database)) / count) * 1e6,
    peakMegabytes,
  };
}

/** Sends the same error alternately as a report with a stack, and as a Sentry event with its frames. */
async function compareSentry(service: Contestant, bearer: string, sentryNumber: number): Promise<SentryResult> {
  const shape = { attachments: 0, attachmentBytes: 0, count: 4000, stack };
  const doors = { ingest: { ...shape, name: "ingest" }, sentry: { ...shape, name: "sentry", sentryNumber } };
  const taken = { ingest: [] as Round[], sentry: [] as Round[] };
  await drive(service, bearer, doors.ingest);
  await drive(service, bearer, doors.sentry); // two warm-up rounds
  for (let round = 0; round < rounds; round++) {
    taken.ingest.push(await drive(service, bearer, doors.ingest));
    taken.sentry.push(await drive(service, bearer, doors.sentry));
    process.stderr.write("..");
  }
  const ratios = taken.sentry.map((round, index) => round.ratePerSecond / (taken.ingest[index] ?? round).ratePerSecond);
  return { ingest: medians(taken.ingest), sentry: medians(taken.sentry), rateRatio: rounded(median(ratios), 3) };
}

/** The memory growth of a fresh server during many concurrent uploads. */
async function measureCrowd(warm: ChildServer, bearer: string): Promise<number> {
  await warm.stop();
  servers.splice(servers.indexOf(warm), 1);
  const { server } = await startService();
  // Sends one report first, to exclude the code that the first request loads.
  await generator.run({ port: server.port, bearer, count: 1, connections: 1, attachments: 1, attachmentBytes: 1000 });
  const idle = await residentMegabytes(server.pid);
  const stopWatching = watchMemory(server.pid);
  const { statuses } = await generator.run({
    port: server.port,
    bearer,
    count: crowd.uploads,
    connections: crowd.uploads,
    attachments: 1,
    attachmentBytes: crowd.attachmentBytes,
  });
  const peak = await stopWatching();
  if (statuses["200"] !== crowd.uploads) throw new Error(`not every answer was a 200: ${JSON.stringify(statuses)}`);
  return peak - idle;
}

/** Watches the memory of a process. Call the returned function to stop and get the maximum in MB. */
function watchMemory(pid: number): () => Promise<number> {
  let running = true;
  const watched = (async () => {
    let peak = 0;
    while (running) {
      peak = Math.max(peak, await residentMegabytes(pid));
      await sleep(10);
    }
    return peak;
  })();
  return () => {
    running = false;
    return watched;
  };
}

async function report(results: ShapeResult[], sentry: SentryResult, crowdMegabytes: number) {
  const sides = ["service", "reference"] as const;
  printTable(
    ["", "", "reports/s", "p99 ms", "server CPU µs/report", "database CPU µs/report", "peak MB", "ratio", "wanted"],
    results.flatMap((shape) =>
      sides.map((side) => [
        side === "service" ? shape.name : "",
        side,
        ...columns.map((column) => shape[side][column].toFixed(0)),
        ...(side === "service" ? [shape.rateRatio.toFixed(2), `≥ ${targets.rateRatioMin}`] : ["", ""]),
      ]),
    ),
  );
  printTable(
    [
      "The same error",
      "reports/s",
      "p99 ms",
      "server CPU µs/report",
      "database CPU µs/report",
      "peak MB",
      "ratio",
      "wanted",
    ],
    (["ingest", "sentry"] as const).map((door) => [
      door === "ingest" ? "POST /api/ingest" : "Sentry's envelope",
      ...columns.map((column) => sentry[door][column].toFixed(0)),
      ...(door === "sentry" ? [sentry.rateRatio.toFixed(2), `≥ ${targets.sentryRatioMin}`] : ["", ""]),
    ]),
  );
  console.log(
    `\nTarget: the server stays below ${targets.megabytesMax} MB in each.\n${crowd.uploads} uploads of ${crowd.attachmentBytes / 1e6} MB at the same time: the server grows by ` +
      `${crowdMegabytes.toFixed(0)} MB (wanted: less than ${targets.crowdMegabytesMax}).`,
  );
  await writeResults("ingest", {
    load: { connections, rounds },
    shapes: results,
    sentry,
    crowd,
    crowdMegabytes: rounded(crowdMegabytes, 1),
    targets,
  });
}

function medians(of: Round[]): Round {
  return Object.fromEntries(
    columns.map((column) => [column, rounded(median(of.map((round) => round[column])), 1)]),
  ) as Round;
}
