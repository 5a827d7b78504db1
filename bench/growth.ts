import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type pg from "pg";
import { archiveDone } from "../apps/server/src/board/tickets/archive-done.ts";
import { indexAllTexts } from "../apps/server/src/board/tickets/index-texts.ts";
import { sweepActivities } from "../apps/server/src/board/tickets/sweep-activities.ts";
import { sweepStore } from "../apps/server/src/both/retention/sweep-store.ts";
import { thinEvents } from "../apps/server/src/both/retention/thin-events.ts";
import { sweepAttempts } from "../apps/server/src/inbox/deliveries/sweep-attempts.ts";
import { readEvents } from "../apps/server/src/inbox/problems/read-events.ts";
import { cutPartitions } from "../apps/server/src/inbox/reports/cut-partitions.ts";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { sweepRateLimits } from "../apps/server/src/platform/limits/rate-limit.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { startServer } from "../apps/server/src/serve.ts";
import { submitReport } from "../apps/server/src/testing/submit-report.ts";
import { databaseUrl, startChildServer } from "./child-server.ts";
import { dropIndexes } from "./drop-indexes.ts";
import { fillReports, rareWord, rareWordSql, searchTerms } from "./fill-reports.ts";
import { printTable, writeResults } from "./results.ts";
import { signInAt } from "./sign-in-at.ts";
import { median, rounded } from "./statistics.ts";

// Measures how ten million events and a million tickets slow down later work: runs the same work alternately on a
// database with them and on a small one, and compares the medians. npm run bench -- growth 100000 20000 uses fewer.
// With a folder as the last argument, the database is kept there and reused.
const events = Number(process.argv[3] ?? 10_000_000);
const tickets = Number(process.argv[4] ?? 1_000_000);
const kept = process.argv[5];
/** Enough to fill every page. */
const small = { events: 10_000, tickets: 6_000 };
const rounds = 60;
const sweepTurns = 10;
const warmingRounds = 150;
const starts = 5;
const boards = 50;
const problems = 4_000;
const historyDays = 300;
const partitionedDays = 30;
const wantedRatioMax = 1.2;
/** The time limit of an inbox search, whatever the amount of data. */
const wantedSearchMsMax = 100;
const email = "ada@bench.test";

/** Searches with more matches in more rows, whose ratio is therefore no measure of growth. */
const moreMatches = ["an inbox searched, more matches", "cards searched, more matches"] as const;

/** Sweeps without anything to do, so that they only measure the search for it. */
const sweeps: Record<string, (deps: Contestant["deps"]) => Promise<unknown>> = {
  store: sweepStore,
  events: thinEvents,
  attempts: sweepAttempts,
  activities: sweepActivities,
  rates: sweepRateLimits,
  "done cards": archiveDone,
  texts: indexAllTexts,
};

const isWanted = (name: string) => !moreMatches.some((other) => other === name);
const nameOfSearch = (what: string) => `an inbox searched: ${what}`;
const isSearch = (name: string) => name.startsWith("an inbox searched");
const isMissed = (name: string, { ratio, largeMs }: { ratio: number; largeMs: number }) =>
  isWanted(name) && (ratio > wantedRatioMax || (isSearch(name) && largeMs > wantedSearchMsMax));

if (kept) await mkdir(kept, { recursive: true });
const log = createLog("warn");
const folder = kept ? resolve(kept) : await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const started = new AsyncDisposableStack();
const end = async () => {
  await postgres.stop();
  if (!kept) await rm(folder, { recursive: true, force: true });
};
// An interrupted run leaves no PostgreSQL behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => void end().then(() => process.exit(1)));
try {
  const contestants = [await prepare("small", small), await prepare("large", { events, tickets })] as const;
  const results: Record<string, { smallMs: number; largeMs: number; ratio: number }> = {};
  const takeTurns = async (taken: Taken, times: number, work: (at: 0 | 1, round: number) => Promise<unknown>) => {
    for (let round = 0; round <= times; round++) {
      for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const began = performance.now();
        await work(at, round);
        if (round > 0) taken[at].push(performance.now() - began); // the first round finds nothing in memory
      }
    }
  };
  const note = (name: string, taken: Taken) => {
    const [smallMs, largeMs] = taken.map(median) as [number, number];
    results[name] = {
      smallMs: rounded(smallMs, 2),
      largeMs: rounded(largeMs, 2),
      ratio: rounded(largeMs / smallMs, 2),
    };
    process.stderr.write(".");
  };
  const measure = async (
    name: string,
    times: number,
    work: (contestant: Contestant, round: number) => Promise<unknown>,
  ) => {
    const taken: Taken = [[], []];
    await takeTurns(taken, times, (at, round) => work(contestants[at], round));
    note(name, taken);
  };

  // Warms up the connections like those of a long-running server: compiled, planned, with mapped buffers.
  for (let n = 0; n < warmingRounds; n++) {
    const text = `word${n * 131}x`;
    for (const { get, appId } of contestants)
      await Promise.all([get(`/search?text=${text}`), get(`/apps/${appId}/inbox?text=${text}`)]);
    for (const { ask } of contestants) await Promise.all([ask("/tickets"), ask(`/tickets?q=${text}`)]);
  }
  await measure("filing a ticket", rounds, ({ file }) => file());
  await measure("filing 32 together", rounds, ({ file }) => Promise.all(Array.from({ length: 32 }, file)));
  await measure("ingesting a report", rounds, ({ submit }) => submit());
  await measure("ingesting 32 together", rounds, ({ submit }) => Promise.all(Array.from({ length: 32 }, submit)));
  await measure("reading it into the inbox", rounds, async ({ deps, submit }) => {
    await submit();
    while ((await readEvents(deps)).count > 0);
  });
  await measure("a board", rounds, ({ get, boardId }) => get(`/boards/${boardId}`));
  await measure("tickets listed", rounds, ({ ask }) => ask("/tickets"));
  await measure("the most urgent of a board", rounds, ({ ask, boardId }) =>
    ask(`/tickets?boardId=${boardId}&sort=priority`),
  );
  await measure("all, when they were filed", rounds, ({ ask }) => ask("/tickets?state=all&sort=createdAt&limit=100"));
  await measure("tickets searched", rounds, ({ ask }, round) => ask(`/tickets?state=all&q=${rareWord(round)}`));
  await measure("the projects", rounds, ({ get }) => get("/projects"));
  await measure("an inbox", rounds, ({ get, appId }) => get(`/apps/${appId}/inbox`));
  await measure("the inboxes", rounds, ({ get }) => get("/inboxes"));
  await measure("a problem", rounds, ({ get, problemId }) => get(`/problems/${problemId}`));
  await measure("its reports", rounds, ({ get, problemId }) => get(`/problems/${problemId}/events`));
  await measure("a report", rounds, ({ get, eventId }) => get(`/events/${eventId}`));
  await measure("an app", rounds, ({ get, appId }) => get(`/apps/${appId}`));
  await measure("its most frequent problems", rounds, ({ get, appId }) => get(`/apps/${appId}/inbox?order=frequent`));
  await measure("an inbox searched", rounds, ({ get, appId }, round) =>
    get(`/apps/${appId}/inbox?text=${rareWord(round)}`),
  );
  for (const [what, term] of Object.entries(searchTerms))
    await measure(nameOfSearch(what), rounds, ({ get, appId }, round) =>
      get(`/apps/${appId}/inbox?${new URLSearchParams({ text: term(round), state: "any" })}`),
    );
  await measure("cards searched", rounds, ({ get }, round) => get(`/search?text=${rareWord(round)}`));
  await measure(moreMatches[0], rounds, ({ get, appId }, round) =>
    get(`/apps/${appId}/inbox?text=word${round * 487}x`),
  );
  await measure(moreMatches[1], rounds, ({ get }, round) => get(`/search?text=word${round * 487}x`));
  // These are so fast that the PostgreSQL process matters: of two idle ones, one may be a third slower. So each round
  // uses other connections.
  const swept = Object.entries(sweeps).map(([name, sweep]) => ({ name, sweep, taken: [[], []] as Taken }));
  for (let turn = 0; turn < sweepTurns; turn++) {
    const pools = contestants.map(({ connect }) => connect());
    const deps = contestants.map((contestant, at) => ({ ...contestant.deps, ...makeBasics(pools[at] as pg.Pool) }));
    for (const { sweep, taken } of swept) await takeTurns(taken, rounds, (at) => sweep(deps[at] as Contestant["deps"]));
    await Promise.all(pools.map((pool) => pool.end()));
  }
  for (const { name, taken } of swept) note(`sweep: ${name}`, taken);
  await measure("start", starts, async ({ start }) => (await start()).stop());

  process.stderr.write("\n");
  printTable(
    [`${events} events, ${tickets} tickets`, `${small.events} and ${small.tickets}, ms`, "all, ms", "ratio", "wanted"],
    Object.entries(results).map(([name, { smallMs, largeMs, ratio }]) => [
      name,
      ...[smallMs, largeMs, ratio].map(String),
      isWanted(name) ? `≤ ${wantedRatioMax}${isSearch(name) ? `, ${wantedSearchMsMax} ms` : ""}` : "",
    ]),
  );
  const missed = Object.entries(results).filter(([name, taken]) => isMissed(name, taken));
  console.log(missed.length === 0 ? "\nHeld." : `\nNOT held: ${missed.map(([name]) => name).join(", ")}`);
  const bytes = await sizes(contestants[1].pool);
  printTable(
    ["table", "MB", "bytes a row"],
    bytes.map(({ name, megabytes, bytesOfRow }) => [name, `${megabytes}`, `${bytesOfRow}`]),
  );
  await writeResults("growth", {
    load: { events, tickets, small, rounds },
    results,
    bytes,
    wantedRatioMax,
    wantedSearchMsMax,
  });
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await started.disposeAsync();
  await end();
}

/** The ids in a filled database. */
type World = { appId: string; boardId: string; key: string; token: string; reader: string; password: string };

/** Milliseconds on the small and on the large one. */
type Taken = [number[], number[]];

type Contestant = Awaited<ReturnType<typeof prepare>>;

/** Prepares a database with this number of events and tickets, and a server on it. */
async function prepare(name: string, size: typeof small) {
  const address = { ...postgres.address, database: name };
  const world = await fill(name, address, size);
  await migrateOn(address); // a kept database may be older
  const pool = started.use(openPool(address, log, 1));
  await cutPartitions({ ...makeBasics(pool), config: readConfig({ LODGE_SECRET: randomUUID(), PORT: "0" }) }); // which reads all of the first one, with the time that upkeep has
  await pool.query("vacuum analyze");
  // A long-running server has the indexes of random lookups and searches in memory.
  await pool.query("create extension if not exists pg_prewarm");
  await pool.query("select pg_prewarm('report_ids_pkey', 'read')");
  await pool.query(`select pg_prewarm(oid, 'read') from pg_class
    where relkind in ('r', 'i') and relname ~ '^(tickets|ticket_numbers|ticket_search|problem_texts|event_summaries)'`);

  const { rows } = await pool.query<{ problemId: string; eventId: string }>(
    `select id as "problemId", last_event_id as "eventId" from problems order by event_count desc limit 1`,
  );
  const [frequent = { problemId: "", eventId: "" }] = rows;
  const env = {
    DATABASE_URL: databaseUrl(postgres.address, name),
    LODGE_DATA_DIR: join(folder, name),
    LODGE_SECRET: randomUUID(),
    LODGE_TICKET_RATE_PER_MINUTE: "1000000000",
    LODGE_LARGE_PROBLEM_RETENTION_DAYS: "36500",
    LODGE_LOG_LEVEL: "silent",
    LODGE_ROLES: "api,ingest,dashboard",
  };
  const config = readConfig({ ...env, PORT: "0" });
  const { address: url, deps } = started.use(
    await startServer(config, { connectionString: env.DATABASE_URL }, createLog("silent")),
  );
  const headers = { authorization: `Bearer ${world.token}`, "content-type": "application/json" };
  const reading = { authorization: `Bearer ${world.reader}` };
  return {
    pool,
    connect: () => openPool(address, log, 2),
    deps,
    appId: world.appId,
    boardId: world.boardId,
    ...frequent,
    get: await signInAt(`${url}/api/dashboard`, email, world.password),
    ask: async (path: string) => {
      const answer = await fetch(`${url}/api/v1${path}`, { headers: reading });
      if (!answer.ok) throw new Error(`${path} responded with ${answer.status}`);
      await answer.arrayBuffer();
    },
    file: async () => {
      const body = JSON.stringify({ title: "The nightly build is red" });
      const idempotent = { ...headers, "idempotency-key": randomUUID() };
      const { status } = await fetch(`${url}/api/v1/tickets`, { method: "POST", headers: idempotent, body });
      if (status !== 201) throw new Error(`filing a ticket responded with ${status}`);
    },
    submit: () => submitReport(url, world.key, { reportId: randomUUID(), kind: "crash", title: "It happened again" }),
    start: () => startChildServer("apps/server/bin/lodged.mjs", ["serve"], env),
  };
}

/** Creates a database with this number of events and tickets, unless one was kept. */
async function fill(name: string, address: typeof postgres.address, size: typeof small): Promise<World> {
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) {
    const { size: has, ...world } = JSON.parse(await readFile(file, "utf8")) as World & { size: typeof small };
    if (has.events !== size.events || has.tickets !== size.tickets) {
      throw new Error(`${folder} has ${has.events} events and ${has.tickets} tickets`);
    }
    return world;
  }
  const observer = openPool(postgres.address, createLog("silent"), 1);
  await observer.query(`drop database if exists ${name}`); // left by an interrupted run
  await observer.query(`create database ${name}`);
  await observer.end();
  await migrateOn(address);
  const pool = openPool(address, log, 1); // whose session has settings and a temporary table
  const password = randomUUID();
  const { organisation, apps, projects, tokens } = await applyWorld(makeBasics(pool), {
    organisation: { name: "Bench", slug: "bench" },
    members: [{ email, name: "Ada", role: "owner", password }],
    projects: Array.from({ length: boards }, (_, index) => ({
      name: `Project ${index}`,
      slug: `project-${index}`,
      boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }],
    })),
    tokens: [
      { name: "CI", scope: ["project-0"], permissions: ["tickets:write"] },
      { name: "Reader", scope: "all", permissions: ["tickets:read"] },
    ],
    apps: [{ name: "App", slug: "app", keys: ["default"] }],
  });
  const [app] = apps;
  const appId = app?.id ?? "";
  if (size.events > small.events) await cutDays(pool);
  await fillReports(
    pool,
    { organisationId: organisation.id, appId, keyId: app?.keys[0]?.id ?? "" },
    {
      events: size.events,
      problems: Math.min(problems, size.events),
      everySeconds: (historyDays * 86_400) / size.events,
    },
  );
  await fillTickets(pool, organisation.id, tokens[0]?.id ?? "", projects, size.tickets);
  await pool.end();
  const world: World = {
    appId,
    boardId: projects[0]?.boards[0]?.id ?? "",
    key: app?.keys[0]?.key ?? "",
    token: tokens[0]?.secret ?? "",
    reader: tokens[1]?.secret ?? "",
    password,
  };
  await writeFile(file, JSON.stringify({ ...world, size }));
  return world;
}

/** Creates the partitions of the last thirty days, as daily maintenance would have. */
async function cutDays(pool: pg.Pool) {
  const config = readConfig({ LODGE_SECRET: randomUUID(), PORT: "0" });
  for (let daysAgo = partitionedDays + 7; daysAgo >= 0; daysAgo--) {
    const at = new Date(Date.now() - daysAgo * 86_400_000);
    await cutPartitions({ ...makeBasics(pool), config, clock: { now: () => at } }, 0);
  }
}

async function migrateOn(address: typeof postgres.address) {
  const pool = openPool(address, log);
  await migrate(pool);
  await pool.end();
}

/** Inserts tickets with keys and first activities. On each board, all but the last hundred are done and archived. */
async function fillTickets(
  pool: pg.Pool,
  organisationId: string,
  tokenId: string,
  projects: { id: string; boards: { columns: { id: string }[] }[] }[],
  count: number,
) {
  const columns = projects.map(({ boards: [board] }) => board?.columns[0]?.id ?? "");
  const indexes = await dropIndexes(pool, ["tickets", "ticket_activities", "ticket_search"]);
  await pool.query("set session_replication_role = replica");
  await pool.query(
    `insert into tickets (organisation_id, column_id, position, title, description, author_name, id, archived_at, created_at)
    select $1, ($2::uuid[])[1 + n % ${boards}], lpad(to_hex(n), 8, '0'),
      'Nightly build ' || n || ' of word' || floor(random() * 20000) || 'x' || ${rareWordSql("n", count)} || ' is red',
      'It happened on the way, ' || repeat('and it is told of in some words. ', 5), 'a bench',
      uuidv7((n - ${count}) * interval '${(historyDays * 86_400) / count} seconds'),
      case when n <= ${count} - 100 * ${boards} then now() end,
      now() + (n - ${count}) * interval '${(historyDays * 86_400) / count} seconds'
    from generate_series(1, ${count}) n`,
    [organisationId, columns],
  );
  await pool.query(
    `insert into ticket_numbers (organisation_id, project_id, number, ticket_id)
    select $1, ($2::uuid[])[1 + array_position($3::uuid[], column_id) - 1], row_number() over (partition by column_id order by id), id
    from tickets where organisation_id = $1`,
    [organisationId, projects.map(({ id }) => id), columns],
  );
  await pool.query(
    `insert into ticket_activities (organisation_id, ticket_id, kind, actor_name, created_at)
    select organisation_id, id, 'filed', author_name, created_at from tickets where organisation_id = $1`,
    [organisationId],
  );
  await pool.query(
    `insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body)
    select organisation_id, $2, id::text, sha256(id::text::bytea), json_build_object('id', id, 'title', title)::text
    from tickets where organisation_id = $1`,
    [organisationId, tokenId],
  );
  await pool.query(
    `insert into ticket_search (organisation_id, ticket_id, title, description)
    select organisation_id, id, title, description from tickets where organisation_id = $1`,
    [organisationId],
  );
  await pool.query(
    `insert into ticket_search_progress (organisation_id, indexed_until)
    select $1, id from tickets where organisation_id = $1 order by id desc limit 1`,
    [organisationId],
  );
  await pool.query("set session_replication_role = origin");
  for (const index of indexes) await pool.query(index);
}

/** The size of the rows that grow with every ticket and report, with their indexes. */
async function sizes(pool: pg.Pool) {
  const { rows } = await pool.query<{ name: string; bytes: number; rows: number }>(
    `select relname as name, pg_total_relation_size(oid) as bytes, greatest(reltuples, 0)::bigint as rows from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc limit 12`,
  );
  return rows.map(({ name, bytes, rows: count }) => ({
    name,
    megabytes: rounded(bytes / 1e6, 1),
    bytesOfRow: count > 0 ? Math.round(bytes / count) : 0,
  }));
}
