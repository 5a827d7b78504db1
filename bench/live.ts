import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { startBrowser } from "../apps/dashboard/test/browser.ts";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { sessionCookieName } from "../apps/server/src/people/access/session-cookie.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import { cpuBetween, cpuSeconds, databaseCpu, peakMegabytes } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { percentile, rounded } from "./statistics.ts";
import { titleOf, type Viewers, type ViewersResult } from "./viewers.ts";

// Measures many viewers of a board that changes constantly: a token files cards, and people move as many. One more
// viewer is a real browser, which reports when it has painted a change.
const viewers = 500;
const cards = 2_000;
const eventsPerSecond = 20;
const events = 600;
const warmUpEvents = 60;
const warmUp = "warm-up";
const measured = "live";
const targets = { shownP95MsMax: 300, bytesMax: 2_000 };
const secret = randomBytes(32).toString("hex");

const generator = startGenerator<Viewers, ViewersResult>("./viewer-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const observer = openPool(postgres.address, createLog("warn"));
let server: ChildServer | undefined;
try {
  const world = await fill(observer);
  server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, "service"),
    LODGE_SECRET: secret,
    LODGE_TICKET_RATE_PER_MINUTE: "1000000",
  });
  await using browser = await startBrowser();
  const page = await openBoard(browser, server.port, world);
  const drive = (name: string, movedIds: string[], count: number) =>
    generator.run({
      port: server?.port ?? 0,
      cookies: world.cookies.slice(1),
      bearer: world.bearer,
      columnId: world.doingId,
      movedIds,
      eventsPerSecond,
      events: count,
      name,
    });
  await drive(warmUp, world.warmUpIds, warmUpEvents);
  page.forget();
  const cpuBefore = await cpuSeconds(server.pid);
  const databaseBefore = await databaseCpu(observer, postgres.address.database);
  const { latenciesMs, bytes, causedAt, seconds } = await drive(measured, world.movedIds, events);
  const cpu = (await cpuSeconds(server.pid)) - cpuBefore;
  const databaseSeconds = cpuBetween(databaseBefore, await databaseCpu(observer, postgres.address.database));
  const { shownAt, requests } = await page.report();
  const shownMs = Object.entries(causedAt).flatMap(([title, at]) => (shownAt[title] ? [shownAt[title] - at] : []));

  const told = events * viewers;
  const results = {
    receivedP50Ms: rounded(percentile(latenciesMs, 0.5), 1),
    receivedP95Ms: rounded(percentile(latenciesMs, 0.95), 1),
    shownP50Ms: rounded(percentile(shownMs, 0.5), 1),
    shownP95Ms: rounded(percentile(shownMs, 0.95), 1),
    serverCpuMicros: rounded((cpu / told) * 1e6, 2),
    databaseCpuMicros: rounded((databaseSeconds / told) * 1e6, 2),
    serverCores: rounded(cpu / seconds, 2),
    bytes: Math.round(bytes / told),
    requests,
    serverMegabytes: Math.round(await peakMegabytes(server.pid)),
  };
  printTable(
    ["for each event and viewer", ""],
    [
      ["received after, p50 ms", String(results.receivedP50Ms)],
      ["received after, p95 ms", String(results.receivedP95Ms)],
      ["shown in a browser after, p50 ms", String(results.shownP50Ms)],
      ["shown in a browser after, p95 ms", String(results.shownP95Ms)],
      ["CPU of the server, µs", String(results.serverCpuMicros)],
      ["CPU of the database, µs", String(results.databaseCpuMicros)],
      ["bytes", String(results.bytes)],
      ["requests of the browser, in all", String(results.requests)],
      ["server: cores", String(results.serverCores)],
      ["server: MB at most", String(results.serverMegabytes)],
    ],
  );
  const held =
    latenciesMs.length === told &&
    shownMs.length === events &&
    results.shownP95Ms < targets.shownP95MsMax &&
    results.receivedP95Ms < targets.shownP95MsMax &&
    results.bytes < targets.bytesMax &&
    requests === 0;
  console.log(`\n${latenciesMs.length} of ${told} were received, ${shownMs.length} of ${events} shown.`);
  console.log(held ? "Held: p95 below 300 ms, less than 2 kB, no request." : "NOT held.");
  await writeResults("live", { load: { viewers, cards, eventsPerSecond, events }, results });
  if (!held) process.exitCode = 1;
} finally {
  generator.stop();
  await server?.stop();
  await observer.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

type World = Awaited<ReturnType<typeof fill>>;

/** Creates the board with its cards, and a signed-in member for each viewer. The first one is for the browser. */
async function fill(pool: pg.Pool) {
  await migrate(pool);
  const applied = await applyWorld(makeBasics(pool), {
    organisation: { name: "Bench", slug: "bench" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"] }] }],
    tokens: [{ name: "CI", scope: ["web"], permissions: ["tickets:write"] }],
  });
  const organisationId = applied.organisation.id;
  const [board] = applied.projects[0]?.boards ?? [];
  const [backlogId = "", doingId = ""] = board?.columns.map(({ id }) => id) ?? [];
  const insertCards = async (titles: string[]) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into tickets (organisation_id, id, column_id, position, title, author_name)
       select $1, id, $2, replace(id::text, '-', ''), title, 'Ada'
       from (select uuidv7() as id, title from unnest($3::text[]) title) card returning id`,
      [organisationId, backlogId, titles],
    );
    return rows.map(({ id }) => id);
  };
  // Cards to move are below the loaded part of the column, where only the count changes.
  const warmUpIds = await insertCards(Array.from({ length: warmUpEvents }, (_, event) => titleOf(warmUp, event)));
  const movedIds = await insertCards(Array.from({ length: events }, (_, event) => titleOf(measured, event)));
  await insertCards(Array.from({ length: cards }, (_, index) => `Card ${index} of the backlog`));
  const secrets = Array.from({ length: viewers + 1 }, () => randomBytes(24).toString("base64url"));
  await pool.query(
    `with person as (
       insert into users (name, email) select 'Viewer ' || n, n || '@bench.test' from generate_series(1, $2::int) n
       returning id
     ), member as (
       insert into members (organisation_id, user_id, role) select $1, id, 'member' from person
     )
     insert into sessions (user_id, token_sha256, expires_at, active_organisation_id)
     select id, sha256(convert_to(token, 'UTF8')), now() + interval '1 day', $1
     from (select id, row_number() over () as n from person) person
     join unnest($3::text[]) with ordinality secret (token, n) using (n)`,
    [organisationId, secrets.length, secrets],
  );
  await pool.query("vacuum analyze");
  const cookies = secrets.map((token) => {
    const signature = createHmac("sha256", secret).update(token).digest("base64");
    return `${sessionCookieName("http://127.0.0.1")}=${encodeURIComponent(`${token}.${signature}`)}`;
  });
  return { boardId: board?.id ?? "", doingId, warmUpIds, movedIds, cookies, bearer: applied.tokens[0]?.secret ?? "" };
}

/** Opens the board in a browser, which records when it has painted the card of an event. */
async function openBoard(browser: Awaited<ReturnType<typeof startBrowser>>, port: number, { boardId, cookies }: World) {
  const url = `http://127.0.0.1:${port}`;
  const { page } = await browser.open(url);
  const [name = "", value = ""] = cookies[0]?.split("=", 2) ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`/boards/${boardId}`);
  await page.getByRole("heading", { name: "Doing" }).waitFor();
  await page.evaluate(`
    window.shownAt = {};
    new MutationObserver(() => {
      const cards = document.querySelector('section:nth-of-type(2) ul').children;
      requestAnimationFrame(() => {
        for (let index = 0; index < 40 && index < cards.length; index++) {
          const title = cards[index].querySelector('a')?.textContent ?? '';
          if (title.startsWith('live-')) window.shownAt[title] ??= performance.timeOrigin + performance.now();
        }
      });
    }).observe(document.body, { childList: true, subtree: true });
  `);
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/")) requests++;
  });
  return {
    /** Resets the count of requests. */
    forget: () => {
      requests = 0;
    },
    report: async () => ({
      shownAt: (await page.evaluate("window.shownAt")) as Record<string, number>,
      requests,
    }),
  };
}
