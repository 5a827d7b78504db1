import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { openPool, queryBuilder } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import type { Attack, AttackName, AttackResult } from "./attacks.ts";
import { databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import { cpuSeconds, residentMegabytes } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { percentile, rounded } from "./statistics.ts";

// Attacks a server with and without a valid SDK key, and measures the effect on other clients.
const attacks: { name: AttackName; what: string; connections: number; seconds: number }[] = [
  { name: "values", what: "5 kB of gzip, 1.6 million values", connections: 500, seconds: 20 },
  { name: "text", what: "5 kB of gzip, one text of 5 MB", connections: 500, seconds: 20 },
  { name: "refused", what: "5 MiB after an invalid envelope", connections: 512, seconds: 20 },
  { name: "stranger", what: "5 MiB after an unknown key", connections: 512, seconds: 20 },
  { name: "stalled", what: "sign-ins of 262 kB that stall", connections: 6000, seconds: 20 },
  { name: "parts", what: "300,000 parts and no envelope", connections: 16, seconds: 10 },
  { name: "events", what: "Sentry's: 5 kB of gzip, 1.6 million values", connections: 500, seconds: 20 },
  { name: "replays", what: "Sentry's: 3 kB of zstd, a replay of 30 MB", connections: 500, seconds: 20 },
];
const named = process.argv.slice(3);
const restSeconds = 60;
const targets = { peakMegabytesMax: 300, restMegabytesMax: 200, latencyMsMax: 1000 };

type Result = {
  attack: AttackName;
  connections: number;
  statuses: Record<string, number>;
  idleMegabytes: number;
  peakMegabytes: number;
  restMegabytes: number;
  healthMsMax: number;
  reportMsP50: number;
  reportMsMax: number;
  reportsRefused: number;
  cpuSeconds: number;
};

const generator = startGenerator<Attack, AttackResult>("./hostile-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
try {
  const pool = openPool(postgres.address, createLog("warn"));
  await migrate(pool);
  const world = { organisation: { name: "Bench", slug: "bench" }, apps: [{ name: "App", slug: "app", keys: ["a"] }] };
  const applied = await applyWorld({ db: queryBuilder(pool), clock: systemClock }, world);
  await pool.end();
  const bearer = applied.apps[0]?.keys[0]?.key ?? "";
  const appNumber = applied.apps[0]?.number ?? 0;
  const results: Result[] = [];
  for (const attack of attacks.filter(({ name }) => named.length === 0 || named.includes(name))) {
    results.push(await suffer(attack, bearer, appNumber));
    process.stderr.write(".");
  }
  process.stderr.write("\n");
  await report(results);
} finally {
  generator.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Runs one attack on a fresh server with other clients. */
async function suffer(
  { name, connections, seconds }: (typeof attacks)[number],
  bearer: string,
  appNumber: number,
): Promise<Result> {
  const server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, name),
    LODGE_SECRET: randomUUID(),
  });
  try {
    const { port, pid } = server;
    await submit(port, bearer); // excludes the code that the first request loads
    const idleMegabytes = await residentMegabytes(pid);
    const cpuBefore = await cpuSeconds(pid);
    let running = true;
    let peakMegabytes = 0;
    const healthMs: number[] = [];
    const reportMs: number[] = [];
    let reportsRefused = 0;
    const repeat = async (pauseMs: number, work: () => Promise<unknown>) => {
      while (running) {
        await work();
        await sleep(pauseMs);
      }
    };
    const others = [
      repeat(20, async () => {
        peakMegabytes = Math.max(peakMegabytes, await residentMegabytes(pid));
      }),
      repeat(100, async () => healthMs.push(await timed(() => fetch(`http://127.0.0.1:${port}/healthz`)))),
      repeat(100, async () => {
        reportMs.push(
          await timed(async () => {
            if (!(await submit(port, bearer))) reportsRefused += 1;
          }),
        );
      }),
    ];
    const { statuses } = await generator.run({ name, port, bearer, appNumber, connections, seconds });
    running = false;
    await Promise.all(others);
    const cpu = (await cpuSeconds(pid)) - cpuBefore;
    await sleep(restSeconds * 1000);
    return {
      attack: name,
      connections,
      statuses,
      idleMegabytes: rounded(idleMegabytes, 0),
      peakMegabytes: rounded(peakMegabytes, 0),
      restMegabytes: rounded(await residentMegabytes(pid), 0),
      healthMsMax: rounded(Math.max(...healthMs), 0),
      reportMsP50: rounded(percentile(reportMs, 0.5), 0),
      reportMsMax: rounded(Math.max(...reportMs), 0),
      reportsRefused,
      cpuSeconds: rounded(cpu, 1),
    };
  } finally {
    await server.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work().catch(() => {});
  return performance.now() - startedAt;
}

/** Sends a small report of another client, and returns whether it was accepted. */
async function submit(port: number, bearer: string): Promise<boolean> {
  const form = new FormData();
  form.set("envelope", new Blob([JSON.stringify({ reportId: randomUUID(), title: "An honest report" })]));
  const answer = await fetch(`http://127.0.0.1:${port}/api/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}` },
    body: form,
  });
  await answer.arrayBuffer();
  return answer.ok;
}

async function report(results: Result[]) {
  printTable(
    ["", "connections", "MB idle", "MB peak", "MB later", "/healthz ms", "reports ms", "max", "refused", "CPU s"],
    results.map((result) =>
      [
        attacks.find(({ name }) => name === result.attack)?.what ?? "",
        ...[result.connections, result.idleMegabytes, result.peakMegabytes, result.restMegabytes],
        ...[result.healthMsMax, result.reportMsP50, result.reportMsMax, result.reportsRefused, result.cpuSeconds],
      ].map(String),
    ),
  );
  for (const { attack, statuses } of results) console.log(`${attack}: responses`, statuses);
  console.log(
    `\nWanted: at most ${targets.peakMegabytesMax} MB, ${targets.restMegabytesMax} MB ${restSeconds} s later, and ` +
      `${targets.latencyMsMax} ms for /healthz and for the reports of others, none of them refused.`,
  );
  if (named.length === 0) await writeResults("hostile", { results, targets });
}
