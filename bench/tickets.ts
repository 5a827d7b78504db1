import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppliedWorld, World } from "@lodge/contract/world";
import type pg from "pg";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { cpuBetween, cpuSeconds, databaseCpu, peakMegabytes } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { median, percentile, rounded } from "./statistics.ts";
import { inEachHookState } from "./ticket-hooks.ts";

// Measures how fast tickets are filed, compared with a bare INSERT of the same row (reference-tickets.ts). Alternates
// between the two, so that other load on the machine affects both. Each has its own database in one PostgreSQL. A
// number after the name is the length of a round in seconds: npm run bench -- tickets 1
const connections = 32;
/** Other numbers of connections to measure. */
const otherConnections = [1, 16, 64, 256];
const otherRounds = 3;
/** The layers of filing a ticket, each measured by removing it (without.ts). */
const layers = {
  "no access log": { LODGE_LOG_LEVEL: "warn" },
  "no metrics": { BENCH_WITHOUT: "metrics" },
  "no rate limit": { BENCH_WITHOUT: "limit" },
  "no authentication, no limit": { BENCH_WITHOUT: "authentication" },
} as const;
const tokens = 64;
const projects = 8;
const rounds = 7;
const roundSeconds = Number(process.argv[3] ?? 3);
const warmUpSeconds = roundSeconds + 1;
const targets = { rateRatioMin: 0.6, p99RatioMax: 5, serverMegabytesMax: 150, roundTripsMax: 2 };

const world: World = {
  organisation: { name: "Bench", slug: "bench" },
  projects: Array.from({ length: projects }, (_, index) => ({
    name: `Project ${index}`,
    slug: `project-${index}`,
    boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"] }],
  })),
  tokens: Array.from({ length: tokens }, (_, index) => ({
    name: `Token ${index}`,
    scope: [`project-${index % projects}`],
    permissions: ["tickets:write"],
  })),
};
const body = JSON.stringify({
  title: "The nightly build of main is red",
  description: "Step 14 of 20 failed: 3 of 1,204 tests.\n".repeat(8),
  priority: "high",
});

type Contestant = { server: ChildServer; path: string; database: string; filed: number; rounds: Round[] };
const columns = ["ratePerSecond", "p50Ms", "p99Ms", "serverCpuMicros", "databaseCpuMicros"] as const;
type Round = Record<(typeof columns)[number], number>;

const load = startGenerator<Load, LoadResult>("./load-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const observer = openPool({ ...postgres.address, database: "postgres" }, createLog("silent"));
const servers: ChildServer[] = [];
try {
  const applied = await prepareDatabases();
  const service = await startService();
  const reference = await startReference(applied);
  const bearers = applied.tokens.map((token) => token.secret ?? "");
  const commitsBefore = await commits(service.database);
  for (const contestant of [service, reference]) await drive(contestant, bearers, warmUpSeconds);
  for (let round = 0; round < rounds; round++) {
    for (const contestant of [service, reference]) {
      contestant.rounds.push(await drive(contestant, bearers, roundSeconds));
      process.stderr.write(".");
    }
  }
  const serverMegabytes = await peakMegabytes(service.server.pid);
  await stopServers();
  const roundTrips = ((await commits(service.database)) - commitsBefore) / service.filed;

  const again = await startService();
  const beside = await startReference(applied);
  for (const contestant of [again, beside]) await drive(contestant, bearers, warmUpSeconds);
  const byConnections = new Map<number, { service: Round; reference: Round }>();
  for (const count of otherConnections) byConnections.set(count, await compare(again, beside, bearers, count));
  const byLayer = new Map<string, { service: Round; reference: Round }>();
  for (const [name, env] of Object.entries(layers)) {
    const without = await startService(env);
    await drive(without, bearers, warmUpSeconds);
    byLayer.set(name, await compare(without, again, bearers, connections));
    await without.server.stop();
    servers.splice(servers.indexOf(without.server), 1);
  }
  const byHooks = await compareHooks(bearers);
  process.stderr.write("\n");
  await report(service.rounds, reference.rounds, serverMegabytes, roundTrips, byConnections, byLayer, byHooks);
} finally {
  load.stop();
  await stopServers();
  await observer.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Migrates the service's database, fills it with the world, and copies it for the reference. */
async function prepareDatabases(): Promise<AppliedWorld> {
  const pool: pg.Pool = openPool(postgres.address, createLog("warn"));
  await migrate(pool);
  const applied = await applyWorld(makeBasics(pool), world);
  await pool.end();
  await observer.query(`create database reference template ${postgres.address.database}`);
  return applied;
}

async function startService(env: Record<string, string> = {}): Promise<Contestant> {
  const database = postgres.address.database;
  const server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, database),
    LODGE_DATA_DIR: folder,
    LODGE_SECRET: randomUUID(),
    LODGE_TICKET_RATE_PER_MINUTE: "1000000000",
    ...env,
    ...(env.BENCH_WITHOUT && { NODE_OPTIONS: `--import=${new URL("./without.ts", import.meta.url)}` }),
  });
  servers.push(server);
  return { server, path: "/api/v1/tickets", database, filed: 0, rounds: [] };
}

async function startReference({ organisation, projects: [project] }: AppliedWorld): Promise<Contestant> {
  const server = await startChildServer("bench/reference-tickets.ts", [], {
    DATABASE_URL: databaseUrl(postgres.address, "reference"),
    ORGANISATION_ID: organisation.id,
    COLUMN_ID: project?.boards[0]?.columns[0]?.id ?? "",
  });
  servers.push(server);
  return { server, path: "/tickets", database: "reference", filed: 0, rounds: [] };
}

async function stopServers() {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}

/** Runs two contestants alternately with a number of connections, and returns the median of each. */
async function compare(service: Contestant, reference: Contestant, bearers: string[], count: number) {
  const rounds: { service: Round; reference: Round }[] = [];
  for (let round = 0; round < otherRounds; round++) {
    rounds.push({
      service: await drive(service, bearers, roundSeconds, count),
      reference: await drive(reference, bearers, roundSeconds, count),
    });
    process.stderr.write(".");
  }
  return {
    service: medians(rounds.map((round) => round.service)),
    reference: medians(rounds.map((round) => round.reference)),
  };
}

/** Compares an organisation without ticket webhooks to one with them, and to one without triggers, as ratios. */
async function compareHooks(bearers: string[]) {
  const pool = openPool(postgres.address, createLog("silent"), 1);
  const service = await startService({ LODGE_ROLES: "api" });
  await drive(service, bearers, warmUpSeconds);
  const measured = await inEachHookState(pool, otherRounds, () => drive(service, bearers, roundSeconds));
  await pool.end();
  return new Map(
    Array.from(measured, ([name, { without, within }]) => [name, divided(medians(within), medians(without))] as const),
  );
}

async function drive(contestant: Contestant, bearers: string[], seconds: number, count = connections): Promise<Round> {
  const { server, path, database } = contestant;
  const serverCpuBefore = await cpuSeconds(server.pid);
  const databaseBefore = await databaseCpu(observer, database);
  const result = await load.run({ port: server.port, path, bearers, body, connections: count, seconds });
  const wrong = Object.keys(result.statuses).filter((status) => status !== "201");
  if (wrong.length > 0) throw new Error(`not every answer was a 201: ${JSON.stringify(result.statuses)}`);
  const filed = result.latenciesMs.length;
  contestant.filed += filed;
  return {
    ratePerSecond: filed / result.seconds,
    p50Ms: percentile(result.latenciesMs, 0.5),
    p99Ms: percentile(result.latenciesMs, 0.99),
    serverCpuMicros: (((await cpuSeconds(server.pid)) - serverCpuBefore) / filed) * 1e6,
    databaseCpuMicros: (cpuBetween(databaseBefore, await databaseCpu(observer, database)) / filed) * 1e6,
  };
}

/** The transactions of a database so far. Every statement of the server is one, so this counts its round trips. */
async function commits(database: string): Promise<number> {
  for (;;) {
    const found = await observer.query<{ numbackends: number; xact_commit: number }>(
      "select numbackends, xact_commit from pg_stat_database where datname = $1",
      [database],
    );
    const row = found.rows[0];
    // The statistics of a connection are only complete when it has ended.
    if (row && (servers.length > 0 || row.numbackends === 0)) return row.xact_commit;
    await sleep(50);
  }
}

async function report(
  serviceRounds: Round[],
  referenceRounds: Round[],
  serverMegabytes: number,
  roundTrips: number,
  byConnections: Map<number, { service: Round; reference: Round }>,
  byLayer: Map<string, { service: Round; reference: Round }>,
  byHooks: Map<string, Round>,
) {
  const service = medians(serviceRounds);
  const reference = medians(referenceRounds);
  const ratio = medians(serviceRounds.map((round, index) => divided(round, referenceRounds[index] ?? round)));
  const digits = { ratePerSecond: 0, p50Ms: 2, p99Ms: 2, serverCpuMicros: 0, databaseCpuMicros: 0 };
  const cells = (round: Round, digitsOf: (column: keyof Round) => number) =>
    columns.map((column) => round[column].toFixed(digitsOf(column)));
  printTable(
    ["", "tickets/s", "p50 ms", "p99 ms", "server CPU µs/ticket", "database CPU µs/ticket"],
    [
      ["service", ...cells(service, (column) => digits[column])],
      ["reference", ...cells(reference, (column) => digits[column])],
      ["ratio", ...cells(ratio, () => 2)],
    ],
  );
  const met = [
    ["rate, of the reference's", ratio.ratePerSecond, "at least", targets.rateRatioMin],
    ["p99, of the reference's", ratio.p99Ms, "at most", targets.p99RatioMax],
    ["server memory at its peak, MB", serverMegabytes, "at most", targets.serverMegabytesMax],
    ["database round trips a ticket", roundTrips, "at most", targets.roundTripsMax],
  ] as const;
  console.log();
  printTable(
    ["target", "measured", "", "wanted", "met"],
    met.map(([name, value, bound, wanted]) => {
      const reached = bound === "at least" ? value >= wanted : rounded(value, 2) <= wanted;
      return [name, value.toFixed(2), bound, String(wanted), reached ? "yes" : "no"];
    }),
  );
  console.log();
  printTable(
    ["connections", "tickets/s", "of the reference's", "p50 ms", "p99 ms", "server CPU µs/ticket"],
    [...byConnections].map(([count, round]) => [
      String(count),
      round.service.ratePerSecond.toFixed(0),
      (round.service.ratePerSecond / round.reference.ratePerSecond).toFixed(2),
      round.service.p50Ms.toFixed(2),
      round.service.p99Ms.toFixed(2),
      round.service.serverCpuMicros.toFixed(0),
    ]),
  );
  console.log();
  printTable(
    ["layer taken out", "tickets/s, of the whole's", "server CPU µs saved", "database CPU µs saved"],
    [...byLayer].map(([name, { service: without, reference: whole }]) => [
      name,
      (without.ratePerSecond / whole.ratePerSecond).toFixed(2),
      (whole.serverCpuMicros - without.serverCpuMicros).toFixed(0),
      (whole.databaseCpuMicros - without.databaseCpuMicros).toFixed(0),
    ]),
  );
  console.log();
  printTable(
    ["beside no webhook of tickets", "tickets/s", "p50", "p99", "server CPU", "database CPU"],
    [...byHooks].map(([name, round]) => [name, ...cells(round, () => 2)]),
  );
  await writeResults("tickets", {
    byHooks: Object.fromEntries(byHooks),
    byConnections: Object.fromEntries(byConnections),
    byLayer: Object.fromEntries(byLayer),
    load: { connections, tokens, rounds, roundSeconds },
    service,
    reference,
    ratio,
    serverMegabytes,
    roundTrips,
    targets,
  });
}

function medians(of: Round[]): Round {
  return mapColumns((column) => median(of.map((round) => round[column])));
}

function divided(a: Round, b: Round): Round {
  return mapColumns((column) => a[column] / b[column]);
}

function mapColumns(value: (column: keyof Round) => number): Round {
  return Object.fromEntries(columns.map((column) => [column, rounded(value(column), 3)])) as Round;
}
