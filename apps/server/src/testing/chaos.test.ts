import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sweepStore } from "../both/retention/sweep-store.ts";
import { locatePostgres, startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { freePort } from "./free-port.ts";
import { lodgedMain } from "./lodged-main.ts";
import { movableClock } from "./movable-clock.ts";
import { randomFor } from "./random.ts";
import { childrenOf } from "./run-lodged.ts";
import { startObjectStore } from "./start-object-store.ts";
import { startReceiver } from "./start-receiver.ts";
import { startRedis } from "./start-redis.ts";
import { startService } from "./start-service.ts";
import { webhook } from "./subscribe.ts";
import { until } from "./until.ts";

/** Half a minute; `npm run test:chaos` runs five. TEST_SEED repeats the same faults in the same order. */
const seconds = Number(process.env.TEST_CHAOS_SECONDS ?? 30);
const ticketClients = 12;
const reportClients = 3;
const attachmentBytesMax = 200_000;
/** The time that a client waits for its first response. Each retry waits longer. Abandoned requests may still run. */
const patienceMs = 500;
const backoffMs = 200;
const faultMs = { min: 500, max: 2_500 };
const calmMs = { min: 200, max: 1_200 };
const endless = "1000000";
/** A starting server creates and deletes this file. A server that is killed in between leaves it behind. */
const writtenAtStart = ".lodged-was-here";

/** Restarts `lodged` whenever it ends, like a service manager. */
function keepRunning(command: string, env: Record<string, string>) {
  let child: ChildProcess;
  let over = false;
  const run = async () => {
    while (!over) {
      child = spawn(process.execPath, [lodgedMain(), command], { env: { ...process.env, ...env }, stdio: "ignore" });
      await once(child, "exit");
      if (!over) await sleep(backoffMs);
    }
  };
  const running = run();
  return {
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      over = true;
      child.kill("SIGKILL");
      await running;
    },
  };
}

test("despite kills, pauses and restarts, every answered ticket and report exists once, complete and delivered", async (t) => {
  const { number } = randomFor("chaos");
  const between = ({ min, max }: { min: number; max: number }) => Math.floor(min + number() * (max - min));
  const oneOf = <T>(choices: readonly T[]) => choices[Math.floor(number() * choices.length)] as T;

  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lodge-chaos-"));
  started.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // A killed process loses nothing that it has already given to the kernel.
  const startDatabase = () => startEmbeddedPostgres(folder, undefined, { fsync: "off", max_connections: "150" });
  let postgres = await startDatabase();
  started.defer(() => postgres.stop());
  const { host, user, database } = postgres.address;
  let redis = await startRedis();
  started.defer(() => redis[Symbol.asyncDispose]());
  const store = started.use(await startObjectStore());
  const receiver = started.use(await startReceiver());
  const clock = movableClock();
  const env = {
    DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    ...(await store.makeBucket()),
    LODGE_SECRET: "a secret that only the tests know, long enough",
    LODGE_TICKET_RATE_PER_MINUTE: endless,
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: endless,
    LODGE_INGEST_IP_RATE_PER_MINUTE: endless,
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    LODGE_DISK_RESERVE: "0",
    LODGE_LOG_LEVEL: "silent",
  };
  const observer = started.use(await startService({ ...env, LODGE_ROLES: "api" }, { clock }));
  const { tokens, apps } = await observer.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
    apps: [
      { name: "iOS", slug: "ios", keys: ["default"], subscribers: [webhook(receiver, "/a"), webhook(receiver, "/b")] },
    ],
  });
  const ports = [await freePort(), await freePort()];
  const start = (command: string, index: number, more: Record<string, string>) =>
    started.use(keepRunning(command, { ...env, ...more, LODGE_DATA_DIR: join(folder, `${command}-${index}`) }));
  const servers = ports.map((port, index) => start("serve", index, { PORT: `${port}`, LODGE_ROLES: "api,ingest" }));
  const workers = [0, 1].map((index) => start("worker", index, {}));

  const answered = { tickets: new Map<string, string>(), reports: new Map<string, string>() };
  const sent = new Map<string, string>();
  let retries = 0;
  /** Sends a request to either server until one answers, as the interface asks of clients. */
  const insist = async (path: string, status: number, init: () => RequestInit): Promise<Record<string, string>> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const signal = AbortSignal.timeout(patienceMs * (attempt + 1));
        const url = `http://127.0.0.1:${ports[attempt % ports.length]}${path}`;
        const answer = await fetch(url, { ...init(), signal });
        const text = await answer.text();
        if (answer.status === status) return JSON.parse(text) as Record<string, string>;
        if (answer.status !== 429 && answer.status < 500) assert.fail(`${path} was answered ${answer.status}: ${text}`);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      retries++;
      await sleep(backoffMs);
    }
  };
  const fileTicket = async () => {
    const key = randomUUID();
    const headers = {
      authorization: `Bearer ${tokens[0]?.secret}`,
      "content-type": "application/json",
      "idempotency-key": key,
    };
    const body = JSON.stringify({ title: key });
    const { id = "" } = await insist("/api/v1/tickets", 201, () => ({ method: "POST", headers, body }));
    answered.tickets.set(key, id);
  };
  const submitReport = async (bytesOf: (count: number) => Buffer) => {
    const reportId = randomUUID();
    const bytes = bytesOf(1 + (bytesOf(4).readUInt32LE() % attachmentBytesMax));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    sent.set(reportId, sha256);
    const { eventId = "" } = await insist("/api/ingest", 200, () => {
      const body = new FormData();
      const attachments = [{ partName: "log", sha256, byteLength: bytes.length }];
      body.set("envelope", JSON.stringify({ reportId, title: "The cart is empty", attachments }));
      body.set("log", new Blob([Uint8Array.from(bytes)]), "log");
      return { method: "POST", headers: { authorization: `Bearer ${apps[0]?.keys[0]?.key}` }, body };
    });
    answered.reports.set(reportId, eventId);
  };

  const pause = async (signal: (signal: NodeJS.Signals) => void) => {
    signal("SIGSTOP");
    await sleep(between(faultMs));
    signal("SIGCONT");
  };
  const postmaster = async () =>
    Number((await readFile(join(locatePostgres(folder).cluster, "postmaster.pid"), "utf8")).split("\n", 1)[0]);
  const faults: [string, () => Promise<void>][] = [
    ["a server killed", async () => void oneOf(servers).signal("SIGKILL")],
    ["a server paused", () => pause(oneOf(servers).signal)],
    ["a server restarted", async () => void oneOf(servers).signal("SIGTERM")],
    ["a worker killed", async () => void oneOf(workers).signal("SIGKILL")],
    ["a worker paused", () => pause(oneOf(workers).signal)],
    [
      "PostgreSQL killed",
      async () => {
        process.kill(await postmaster(), "SIGKILL");
        postgres = await startDatabase();
      },
    ],
    [
      "PostgreSQL restarted",
      async () => {
        await postgres.stop();
        await sleep(between(faultMs));
        postgres = await startDatabase();
      },
    ],
    [
      "PostgreSQL paused",
      async () => {
        const pids = childrenOf(await postmaster()).map(({ pid }) => pid);
        await pause((signal) => {
          for (const pid of pids) tell(pid, signal);
        });
      },
    ],
    [
      "Redis killed",
      async () => {
        await redis[Symbol.asyncDispose]();
        await sleep(between(faultMs));
        redis = await startRedis(redis.port);
      },
    ],
    ["Redis paused", () => pause((signal) => (signal === "SIGSTOP" ? redis.pause() : redis.resume()))],
    [
      "the object store killed",
      async () => {
        await store.stop();
        await store.start();
      },
    ],
  ];

  await Promise.all([fileTicket(), submitReport(randomFor("first attachment").bytes)]); // both servers listen
  const endsAt = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= endsAt;
  const repeat = async (work: () => Promise<void>) => {
    while (!isOver()) await work();
  };
  const faultsMade: string[] = [];
  const makeFaults = async () => {
    let deck: typeof faults = [];
    while (!isOver()) {
      if (deck.length === 0)
        deck = faults
          .map((fault) => ({ fault, at: number() }))
          .sort((a, b) => a.at - b.at)
          .map(({ fault }) => fault);
      const [name, make] = deck.pop() ?? assert.fail("no fault is left");
      faultsMade.push(name);
      await make();
      await sleep(between(calmMs));
    }
  };
  await Promise.all([
    makeFaults(),
    ...Array.from({ length: ticketClients }, () => repeat(fileTicket)),
    ...Array.from({ length: reportClients }, (_, index) => {
      const { bytes } = randomFor(`attachments ${index}`);
      return repeat(() => submitReport(bytes));
    }),
  ]);
  t.diagnostic(
    `${faultsMade.join(", ")}; ${answered.tickets.size} tickets, ${answered.reports.size} reports, ${retries} retries`,
  );
  assert.ok(faultsMade.length > 0);

  const { db, store: objects } = observer.deps;
  const tickets = await db.selectFrom("tickets").select(["id", "title"]).execute();
  assert.deepEqual(tickets.map(({ id, title }) => [title, id]).sort(), [...answered.tickets].sort());
  const events = await db.selectFrom("events").select(["id", "report_id"]).execute();
  assert.deepEqual(events.map(({ id, report_id }) => [report_id, id]).sort(), [...answered.reports].sort());

  const artifacts = await db.selectFrom("artifacts").select(["event_id", "store_key"]).execute();
  const reportOf = new Map(events.map(({ id, report_id }) => [id, report_id]));
  assert.equal(artifacts.length, events.length);
  for (const { event_id, store_key } of artifacts) {
    const object = await objects.read(store_key);
    assert.ok(object, "the attachment is stored");
    const sha256 = createHash("sha256")
      .update(await buffer(object))
      .digest("hex");
    assert.equal(sha256, sent.get(reportOf.get(event_id) ?? ""), "the attachment has the bytes that were sent");
  }

  const delivered = () =>
    new Set(receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body.toString()).data.eventId}`));
  const wanted = events.flatMap(({ id }) => [`/a ${id}`, `/b ${id}`]);
  await until(() => {
    const known = delivered();
    return wanted.every((one) => known.has(one));
  });

  clock.move(2 * 3_600_000);
  const { orphans } = await sweepStore(observer.deps);
  t.diagnostic(`${orphans} orphans were swept`);
  assert.deepEqual(
    (await Array.fromAsync(objects.list(""))).filter((key) => key !== writtenAtStart).sort(),
    artifacts.map(({ store_key }) => store_key).sort(),
    "the store has no files without an event",
  );
});

/** Sends a signal, unless the process has ended. */
function tell(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
