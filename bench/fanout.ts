import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import { cpuBetween, cpuSeconds, databaseCpu } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { signInAt } from "./sign-in-at.ts";
import { median, percentile, rounded } from "./statistics.ts";
import type { Uploads, UploadsResult } from "./upload-generator.ts";

// Measures how soon an event reaches its subscribers, with and without a replay for another subscriber, how fast a
// backlog drains, and what fan-out adds to the cost of accepting a report. Every subscriber has a filter that matches
// all reports, and a rate limit that is never reached. The receiver, in the process of the benchmark, immediately
// responds with 204.
const subscribers = 3;
const filter = { kinds: ["crash"] };
const perMinute = 600_000;
const eventsPerSecond = 100;
const steadySeconds = 30;
const steadyRounds = 5;
const warmUpSeconds = 5;
const backlogDeliveries = 10_000;
const rounds = 5;
const reportsPerRound = 1_500;
const connections = 16;
const owner = { email: "ada@bench.test", password: "a long enough password" };
const targets = { p50MsMax: 20, p50RatioMax: 1.2, drainedPerSecondMin: 2_500 };

const arrivals = { count: 0, replayed: 0, latenciesMs: [] as number[], lastAt: 0 };
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(204).end();
    if (request.headers["lodge-replay"]) {
      arrivals.replayed++;
      return;
    }
    const accepted = /"receivedAt":"([^"]+)"/.exec(Buffer.concat(chunks).toString("latin1"))?.[1] ?? "";
    arrivals.latenciesMs.push(Date.now() - Date.parse(accepted));
    arrivals.count++;
    arrivals.lastAt = performance.now();
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

const generator = startGenerator<Uploads, UploadsResult>("./upload-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const servers: ChildServer[] = [];
try {
  const keys = await prepareDatabase();
  const cost = await measureCost(keys);
  const steady = await measureSteady(keys);
  const drain = await measureDrain(keys.heard);
  await report(cost, steady, drain);
} finally {
  generator.stop();
  receiver.closeAllConnections();
  receiver.close();
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Creates an app without subscribers and one with webhooks. Returns their SDK keys, and the id of the first. */
async function prepareDatabase(): Promise<{ unheard: string; heard: string; unheardId: string }> {
  const pool = openPool(postgres.address, createLog("warn"));
  await migrate(pool);
  const { apps } = await applyWorld(makeBasics(pool), {
    organisation: { name: "Bench", slug: "bench" },
    members: [{ ...owner, name: "Ada", role: "owner" }],
    apps: [
      { name: "Unheard", slug: "unheard", keys: ["default"] },
      {
        name: "Heard",
        slug: "heard",
        keys: ["default"],
        subscribers: Array.from({ length: subscribers }, (_, index) => ({
          kind: "webhook" as const,
          url: `${receiverUrl}/${index}`,
        })),
      },
    ],
  });
  await pool.query("update subscribers set filter = $1, per_minute = $2", [filter, perMinute]);
  await pool.end();
  const [unheard = "", heard = ""] = apps.map(({ keys: [key] }) => key?.key);
  return { unheard, heard, unheardId: apps[0]?.id ?? "" };
}

async function startService(roles: string): Promise<ChildServer> {
  const server = await startChildServer("apps/server/src/main.ts", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, "service"),
    LODGE_SECRET: randomUUID(),
    LODGE_ROLES: roles,
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  });
  servers.push(server);
  return server;
}

async function stopService(server: ChildServer) {
  servers.splice(servers.indexOf(server), 1);
  await server.stop();
}

/** The accepted reports per second of an app without and with subscribers, without deliveries. */
async function measureCost(keys: { unheard: string; heard: string }) {
  const server = await startService("ingest");
  const rates = { unheard: [] as number[], heard: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    for (const side of ["unheard", "heard"] as const) {
      const { seconds } = await submit(server, keys[side], reportsPerRound);
      if (round >= 0) rates[side].push(reportsPerRound / seconds); // the first round is a warm-up
    }
  }
  await stopService(server);
  await forgetDeliveries();
  return { unheardPerSecond: median(rates.unheard), heardPerSecond: median(rates.heard) };
}

async function submit({ port }: ChildServer, bearer: string, count: number) {
  const result = await generator.run({ port, bearer, count, connections, attachments: 0, attachmentBytes: 0 });
  if (result.statuses["200"] !== count)
    throw new Error(`not every response was 200: ${JSON.stringify(result.statuses)}`);
  return result;
}

async function forgetDeliveries() {
  const pool = openPool(postgres.address, createLog("warn"));
  await pool.query("vacuum analyze");
  await pool.query(
    "truncate deliveries, delivery_attempts; select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs",
  );
  await pool.end();
}

/**
 * Measures the time from `receivedAt` in a message, which the server sets before it writes the event, to the message's
 * last byte, alternately with and without a replay of the other app's old events.
 */
async function measureSteady({ heard, unheardId }: { heard: string; unheardId: string }) {
  const server = await startService("ingest,dashboard,worker");
  const ask = await signInAt(`http://127.0.0.1:${server.port}/api/dashboard`, owner.email, owner.password);
  const { subscriber } = (await ask(`/apps/${unheardId}/subscribers`, {
    kind: "webhook",
    url: `${receiverUrl}/replayed`,
  })) as { subscriber: { id: string } };
  await submitSteadily(server, heard, warmUpSeconds);
  const latenciesMs = { alone: [] as number[], beside: [] as number[] };
  for (let round = 0; round < steadyRounds; round++) {
    for (const side of ["alone", "beside"] as const) {
      const range = { from: new Date(0).toISOString(), until: new Date().toISOString() };
      const replay =
        side === "beside" && ((await ask(`/subscribers/${subscriber.id}/replays`, range)) as { id: string });
      arrivals.latenciesMs = [];
      await submitSteadily(server, heard, steadySeconds / steadyRounds);
      latenciesMs[side].push(...arrivals.latenciesMs);
      if (replay) await ask(`/replays/${replay.id}/cancel`, {});
    }
  }
  await stopService(server);
  const replayedPerSecond = arrivals.replayed / steadySeconds;
  if (replayedPerSecond < 25) throw new Error(`the replay sent only ${replayedPerSecond} events a second`);
  const p50Ms = percentile(latenciesMs.alone, 0.5);
  const p50MsBesideReplay = percentile(latenciesMs.beside, 0.5);
  return { p50Ms, p99Ms: percentile(latenciesMs.alone, 0.99), p50MsBesideReplay, replayedPerSecond };
}

async function submitSteadily(server: ChildServer, bearer: string, seconds: number) {
  const count = seconds * eventsPerSecond;
  const awaited = arrivals.count + count * subscribers;
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = startedAt + (index * 1000) / eventsPerSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    sent.push(submitOne(server, bearer));
  }
  await Promise.all(sent);
  while (arrivals.count < awaited) await sleep(10);
}

async function submitOne({ port }: ChildServer, bearer: string) {
  const body = new FormData();
  body.set("envelope", JSON.stringify({ reportId: randomUUID(), kind: "crash", title: "The cart is empty" }));
  const headers = { authorization: `Bearer ${bearer}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/ingest`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`a response was ${answer.status}`);
  await answer.arrayBuffer();
}

/** Deliveries per second, from the start of a worker with a backlog to the arrival of the last message. */
async function measureDrain(bearer: string) {
  const events = Math.ceil(backlogDeliveries / subscribers);
  const ingest = await startService("ingest");
  await submit(ingest, bearer, events);
  await stopService(ingest);
  const before = arrivals.count;
  const worker = await startService("worker");
  const awaited = before + events * subscribers;
  while (arrivals.count === before) await sleep(1);
  const startedAt = performance.now();
  const cpuBefore = await readCpu(worker);
  while (arrivals.count < awaited) await sleep(10);
  const seconds = (arrivals.lastAt - startedAt) / 1000;
  const cpuAfter = await readCpu(worker);
  await stopService(worker);
  const deliveries = awaited - before;
  return {
    deliveries,
    perSecond: deliveries / seconds,
    workerMicros: ((cpuAfter.worker - cpuBefore.worker) * 1e6) / deliveries,
    databaseMicros: (cpuBetween(cpuBefore.database, cpuAfter.database) * 1e6) / deliveries,
  };
}

async function readCpu({ pid }: ChildServer) {
  const observer = openPool(postgres.address, createLog("warn"));
  const database = await databaseCpu(observer, postgres.address.database);
  await observer.end();
  return { worker: await cpuSeconds(pid), database };
}

async function report(
  cost: Awaited<ReturnType<typeof measureCost>>,
  steady: Awaited<ReturnType<typeof measureSteady>>,
  drain: Awaited<ReturnType<typeof measureDrain>>,
) {
  const results = {
    acceptedToDeliveredP50Ms: rounded(steady.p50Ms, 1),
    acceptedToDeliveredP99Ms: rounded(steady.p99Ms, 1),
    acceptedToDeliveredP50MsBesideReplay: rounded(steady.p50MsBesideReplay, 1),
    p50Ratio: rounded(steady.p50MsBesideReplay / steady.p50Ms, 2),
    replayedPerSecond: rounded(steady.replayedPerSecond, 0),
    drainedPerSecond: rounded(drain.perSecond, 0),
    drainWorkerCpuMicros: rounded(drain.workerMicros, 0),
    drainDatabaseCpuMicros: rounded(drain.databaseMicros, 0),
    acceptedPerSecondWithoutSubscribers: rounded(cost.unheardPerSecond, 0),
    acceptedPerSecondWithSubscribers: rounded(cost.heardPerSecond, 0),
  };
  printTable(
    ["", "measured", "wanted"],
    [
      ["accepted to delivered, p50 ms", `${results.acceptedToDeliveredP50Ms}`, `< ${targets.p50MsMax}`],
      ["accepted to delivered, p99 ms", `${results.acceptedToDeliveredP99Ms}`, ""],
      [
        `the same beside a replay of ${results.replayedPerSecond}/s, p50 ms`,
        `${results.acceptedToDeliveredP50MsBesideReplay}`,
        "",
      ],
      ["ratio of the two", `${results.p50Ratio}`, `≤ ${targets.p50RatioMax}`],
      ["backlog drained, deliveries/s", `${results.drainedPerSecond}`, `≥ ${targets.drainedPerSecondMin}`],
      ["CPU of the worker for each, µs", `${results.drainWorkerCpuMicros}`, ""],
      ["CPU of the database for each, µs", `${results.drainDatabaseCpuMicros}`, ""],
      ["accepted reports/s, no subscriber", `${results.acceptedPerSecondWithoutSubscribers}`, ""],
      [`accepted reports/s, ${subscribers} subscribers`, `${results.acceptedPerSecondWithSubscribers}`, ""],
    ],
  );
  await writeResults("fanout", {
    load: {
      subscribers,
      filter,
      perMinute,
      eventsPerSecond,
      steadySeconds,
      backlogDeliveries: drain.deliveries,
      connections,
    },
    ...results,
    targets,
  });
}
