import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { descendantsOf, measureTree } from "./proc.ts";
import { printTable } from "./results.ts";
import { attack } from "./soak-hostile.ts";
import { percentile, rounded } from "./statistics.ts";
import { describeTrend } from "./trend.ts";

// npm run soak -- 30m: runs honest and hostile clients while it kills processes, database connections and the whole
// server now and then. Prints a line per minute. Fails if memory, descriptors or latency rise over the second half, or
// if an accepted ticket or report is missing or stored twice. A restarted server uses little memory, so it compares
// complete rounds of faults, which all take the same time. 18 minutes are enough.
const sampleMs = 5_000;
const faultMs = 45_000;
const pauseMs = 3_000;
const retryMs = 250;
const attemptTimeoutMs = 90_000;
const honest = { tickets: 4, reports: 2, readers: 2, streams: 4, attachmentBytes: 200_000 };
const thinkMs = { tickets: 40, reports: 200, readers: 200 };
const hostilePerSecond = 6;
const processes = 2;
/** Half of these rounds are needed for a trend: a line through fewer than three says nothing. */
const roundsMin = 6;
const password = "correct horse battery";
const tolerance = {
  megabytes: { share: 0.15, least: 30 },
  descriptors: { share: 0.3, least: 40 },
  latency: { share: 0.5, least: 10 },
};

const durationMs = readDuration(process.argv[2] ?? "30m");
const asked = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => asked.abort());

/** A final error response, for which a retry would not help. */
class Refused extends Error {}

const faultKinds: [string, () => Promise<void>][] = [
  ["a process killed", killProcess],
  ["a connection cut", () => onBackend("select pg_terminate_backend(pid)")],
  ["a backend paused", pauseBackend],
  ["restarted", restart],
];

const doors = ["ticket", "report", "board"] as const;
type Door = (typeof doors)[number];
type Latencies = Record<Door, number[]>;
type Sample = { minute: number; round: number; megabytes: number; descriptors: number; latencies: Latencies };

const noLatencies = (): Latencies => ({ ticket: [], report: [], board: [] });
const answered = { tickets: new Map<string, string>(), reports: new Map<string, string>() };
const samples: Sample[] = [];
const faults: { minute: number; what: string }[] = [];
let latencies = noLatencies();
let retries = 0;
let failure: Error | undefined;

const folder = await mkdtemp(join(tmpdir(), "lodge-soak-"));
const postgres = await startEmbeddedPostgres(join(folder, "postgres"));
const pool = openPool(postgres.address, createLog("silent"), 2);
pool.on("error", () => {}); // its own connections may be cut too
let server: ChildServer | undefined;
let port = 0;
try {
  await migrate(pool);
  const world = await applyWorld(makeBasics(pool), {
    organisation: { name: "Soak", slug: "soak" },
    members: [{ email: "ada@soak.test", name: "Ada", role: "owner", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
    apps: [{ name: "App", slug: "app", keys: ["default"] }],
  });
  const token = world.tokens[0]?.secret ?? "";
  const key = world.apps[0]?.keys[0]?.key ?? "";
  const boardId = world.projects[0]?.boards[0]?.id ?? "";
  await start();
  const startedAt = performance.now();
  const since = (ms: number) => Math.floor((performance.now() - startedAt) / ms);
  const minute = () => since(60_000);
  const isOver = () => asked.signal.aborted || performance.now() - startedAt >= durationMs;
  const hostile = attack(() => port, key, hostilePerSecond);
  const many = (count: number, run: (index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, at) => run(at));
  const session = await signIn();
  const streams = Promise.all(many(honest.streams, () => keepStream(session, isOver)));
  const all = Promise.all([
    ...many(honest.tickets, () => fileTickets(token, isOver)),
    ...many(honest.reports, () => submitReports(key, isOver)),
    ...many(honest.readers, () => readBoard(session, boardId, isOver)),
    takeSamples(minute, () => since(faultMs * faultKinds.length), isOver),
    makeFaults(minute, isOver),
  ]).catch((error: Error) => {
    failure = error;
    asked.abort();
  });
  await all;
  hostile.stop();
  await streams;
  await report(minute(), hostile.count());
} finally {
  await server?.stop();
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function readDuration(text: string): number {
  const [, count, unit] = /^(\d+)(s|m|h)$/.exec(text) ?? [];
  if (!count) throw new Error(`npm run soak -- <duration>, such as 30m, not ${text}`);
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
}

async function start() {
  server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, "data"),
    LODGE_SECRET: "the same after every restart, so that sessions stay",
    LODGE_TICKET_RATE_PER_MINUTE: "1000000000",
    LODGE_PROCESSES: `${processes}`,
    LODGE_INGEST_IDLE_SECONDS: "10",
    LODGE_LOG_LEVEL: "error",
  });
  port = server.port;
}

/** Sends a request until the expected status: like the interface demands, repeats it after 5xx or no response. */
async function insist(door: Door, path: string, init: RequestInit, expected: number): Promise<string> {
  for (;;) {
    const sentAt = performance.now();
    try {
      const signal = AbortSignal.timeout(attemptTimeoutMs);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal });
      const text = await answer.text();
      if (answer.status === expected) {
        latencies[door].push(performance.now() - sentAt);
        return text;
      }
      if (answer.status < 500) throw new Refused(`${path} responded with ${answer.status}: ${text}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    retries++;
    await sleep(retryMs);
  }
}

async function fileTickets(token: string, isOver: () => boolean) {
  while (!isOver()) {
    const idempotencyKey = randomUUID();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    };
    const body = JSON.stringify({ title: idempotencyKey });
    const text = await insist("ticket", "/api/v1/tickets", { method: "POST", headers, body }, 201);
    answered.tickets.set(idempotencyKey, (JSON.parse(text) as { id: string }).id);
    await sleep(thinkMs.tickets);
  }
}

async function submitReports(key: string, isOver: () => boolean) {
  const bytes = randomBytes(honest.attachmentBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  while (!isOver()) {
    const reportId = randomUUID();
    const body = new FormData();
    const attachments = [{ partName: "log", sha256, byteLength: bytes.length }];
    body.set("envelope", JSON.stringify({ reportId, title: "The cart is empty", attachments }));
    body.set("log", new Blob([bytes]), "log");
    const headers = { authorization: `Bearer ${key}` };
    const text = await insist("report", "/api/ingest", { method: "POST", headers, body }, 200);
    answered.reports.set(reportId, (JSON.parse(text) as { eventId: string }).eventId);
    await sleep(thinkMs.reports);
  }
}

async function signIn(): Promise<string> {
  const base = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${base}/api/dashboard/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base },
    body: JSON.stringify({ email: "ada@soak.test", password }),
  });
  if (!answer.ok) throw new Error(`Signing in responded with ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function readBoard(cookie: string, boardId: string, isOver: () => boolean) {
  while (!isOver()) {
    await insist("board", `/api/dashboard/boards/${boardId}`, { headers: { cookie } }, 200);
    await sleep(thinkMs.readers);
  }
}

/** Reads live events, and reopens the stream whenever it ends. */
async function keepStream(cookie: string, isOver: () => boolean) {
  while (!isOver()) {
    const ended = new AbortController();
    const watch = setInterval(() => isOver() && ended.abort(), 500);
    try {
      const { signal } = ended;
      const answer = await fetch(`http://127.0.0.1:${port}/api/dashboard/events`, { headers: { cookie }, signal });
      for await (const _chunk of answer.body ?? []);
    } catch {
      // The server was killed or restarted, or the run is over.
    } finally {
      clearInterval(watch);
    }
    if (!isOver()) await sleep(retryMs);
  }
}

async function takeSamples(minute: () => number, round: () => number, isOver: () => boolean) {
  let printed = 0;
  while (!isOver()) {
    await sleep(sampleMs);
    const own = latencies;
    latencies = noLatencies();
    const { megabytes, descriptors } = await measureTree(server?.pid ?? 0);
    samples.push({ minute: minute(), round: round(), megabytes, descriptors, latencies: own });
    if (minute() === printed) continue;
    printed = minute();
    console.log(`${printed} min: ${Math.round(megabytes)} MB, ${descriptors} descriptors`);
  }
}

async function makeFaults(minute: () => number, isOver: () => boolean) {
  for (let next = 0; ; next = (next + 1) % faultKinds.length) {
    for (let waited = 0; waited < faultMs; waited += 500) {
      if (isOver()) return;
      await sleep(500);
    }
    const [what, make] = faultKinds[next] ?? ["", async () => {}];
    faults.push({ minute: minute(), what });
    await make();
  }
}

async function killProcess() {
  const [pid] = await descendantsOf(server?.pid ?? 0);
  if (pid) process.kill(pid, "SIGKILL");
}

async function restart() {
  await server?.stop();
  await start();
}

/** Runs SQL on a random connection of the server. */
async function onBackend(action: string) {
  await pool.query(`${action} from (select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1) backend`);
}

async function pauseBackend() {
  const { rows } = await pool.query<{ pid: number }>(`select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`);
  const pid = rows[0]?.pid;
  if (!pid) return;
  process.kill(pid, "SIGSTOP");
  await sleep(pauseMs);
  process.kill(pid, "SIGCONT");
}

/** Accepted reports that are missing or stored more than once. */
async function compareWithDatabase(database: pg.Pool): Promise<string[]> {
  const tickets = await database.query<{ id: string; title: string }>("select id, title from tickets");
  const events = await database.query<{ id: string; report_id: string; artifacts: number }>(
    `select id, report_id, (select count(*)::int from artifacts
      where artifacts.app_id = events.app_id and artifacts.event_id = events.id) as artifacts from events`,
  );
  const problems: string[] = [];
  const compare = (what: string, sent: Map<string, string>, kept: { name: string; id: string }[]) => {
    const ids = new Map(kept.map(({ name, id }) => [name, id]));
    const lost = [...sent].filter(([name, id]) => ids.get(name) !== id);
    if (lost.length > 0) problems.push(`${lost.length} accepted ${what} are missing, for example ${lost[0]?.[0]}`);
    if (kept.length > ids.size) problems.push(`${kept.length - ids.size} ${what} are stored twice`);
  };
  compare(
    "tickets",
    answered.tickets,
    tickets.rows.map(({ id, title }) => ({ id, name: title })),
  );
  compare(
    "reports",
    answered.reports,
    events.rows.map(({ id, report_id }) => ({ id, name: report_id })),
  );
  const bare = events.rows.filter(({ report_id, artifacts }) => answered.reports.has(report_id) && artifacts !== 1);
  if (bare.length > 0) problems.push(`${bare.length} reports do not have exactly one attachment`);
  return problems;
}

/** The samples of each round of faults, except for the last one, which may be incomplete. */
function wholeRounds(): Sample[][] {
  const last = samples.at(-1)?.round ?? 0;
  return Array.from({ length: last }, (_, at) => samples.filter(({ round }) => round === at));
}

async function report(lastMinute: number, hostileCount: number) {
  const rows: string[][] = [];
  for (let at = 0; at <= lastMinute; at++) {
    const own = samples.filter(({ minute }) => minute === at);
    if (own.length === 0) continue;
    const latency = (door: Door) => {
      const all = own.flatMap((sample) => sample.latencies[door]);
      return [`${rounded(percentile(all, 0.5), 1)}`, `${rounded(percentile(all, 0.99), 1)}`];
    };
    rows.push([
      `${at}`,
      `${Math.round(Math.max(...own.map(({ megabytes }) => megabytes)))}`,
      `${Math.max(...own.map(({ descriptors }) => descriptors))}`,
      ...doors.flatMap(latency),
      faults
        .filter(({ minute }) => minute === at)
        .map(({ what }) => what)
        .join(", "),
    ]);
  }
  printTable(["minute", "MB", "descriptors", ...doors.flatMap((door) => [`${door} p50 ms`, "p99 ms"]), "faults"], rows);
  console.log(
    `\n${answered.tickets.size} tickets and ${answered.reports.size} reports were accepted, after ${retries} retries; ${hostileCount} connections were hostile.`,
  );
  const rounds = wholeRounds();
  if (rounds.length < roundsMin)
    console.log(`A trend needs ${roundsMin} rounds of faults; there were ${rounds.length}.`);
  const problems = [
    failure?.message,
    describeTrend(
      "memory (MB)",
      rounds.map((own) => Math.max(...own.map(({ megabytes }) => megabytes))),
      tolerance.megabytes,
    ),
    describeTrend(
      "descriptors",
      rounds.map((own) => Math.max(...own.map(({ descriptors }) => descriptors))),
      tolerance.descriptors,
    ),
    ...doors.map((door) =>
      describeTrend(
        `the median of a ${door} (ms)`,
        rounds.map((own) =>
          percentile(
            own.flatMap(({ latencies: taken }) => taken[door]),
            0.5,
          ),
        ),
        tolerance.latency,
      ),
    ),
    ...(await compareWithDatabase(pool)),
  ].filter((problem) => problem !== undefined);
  for (const problem of problems) console.error(`FAIL ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
