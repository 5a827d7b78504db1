import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { beginPasskey, beginPasskeySignIn, beginProviderSignIn } from "@lodge/contract/calls.generated";
import { sql } from "kysely";
import type pg from "pg";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { thinEvents } from "../../both/retention/thin-events.ts";
import { makeLink } from "../../inbox/artifacts/artifact-links.ts";
import { readEvents } from "../../inbox/problems/read-events.ts";
import { cutPartitions } from "../../inbox/reports/cut-partitions.ts";
import { deleteEvents } from "../../inbox/reports/delete-events.ts";
import { lockDays } from "../../inbox/reports/partitions.ts";
import { makeTokenSecret } from "../../people/tokens/token-secret.ts";
import { withdrawToken } from "../../people/tokens/withdraw-token.ts";
import { systemClock } from "../../platform/clock.ts";
import { sealingKeys } from "../../platform/config/seal.ts";
import { openPool } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { makeBasics } from "../../platform/make-deps.ts";
import { createLog } from "../../platform/observe/log.ts";
import { startEmbeddedPostgres } from "../../platform/postgres/embedded-postgres.ts";
import { timeOf } from "../../platform/uuid-time.ts";
import { begin } from "../../testing/begin.ts";
import { password, visitor } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { makePasskeyDevice } from "../../testing/passkey-device.ts";
import { readMetrics } from "../../testing/read-metrics.ts";
import { type Home, makeMigratedHome } from "../../testing/run-lodged.ts";
import { sentryEnvelope } from "../../testing/sentry-envelope.ts";
import { slowTest } from "../../testing/slow-test.ts";
import { startOpenIdProvider } from "../../testing/start-openid-provider.ts";
import { runCommand } from "../../testing/start-process.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startRedis } from "../../testing/start-redis.ts";
import { type Client, cloneDatabase, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { thinWhile } from "../../testing/thin-while.ts";
import { until } from "../../testing/until.ts";
import { applyWorld } from "../provisioning/apply-world.ts";
import { exportOrganisation } from "../provisioning/export-organisation.ts";
import { importOrganisation } from "../provisioning/import-organisation.ts";
import { addCell } from "./add-cell.ts";
import { moveOrganisation } from "./move-organisation.ts";
import { belongsToAny, listMovingTables } from "./moving-tables.ts";

const dayMs = 86_400_000;
const secret = "a secret that only the tests know, long enough";
const sealing = sealingKeys(secret);
const unhurried = { LODGE_TICKET_RATE_PER_MINUTE: "1000000" };

const open = (connectionString: string) => openPool({ connectionString }, createLog("silent"), 2);
type Pool = ReturnType<typeof open>;

const slugOf = ({ body }: { body: Record<string, unknown> }) => (body.organisation as { slug: string }).slug;

/** An organisation with a person who can sign in, a token and an app, made in the cell of a pool. */
async function makeTenant(pool: pg.Pool, slug: string, webhook?: string) {
  const applied = await applyWorld(
    { ...makeBasics(pool), sealing },
    {
      organisation: { name: slug, slug },
      members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner", password }],
      projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
      tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write", "tickets:read"] }],
      apps: [
        {
          name: "iOS",
          slug: "ios",
          keys: ["release"],
          replies: true,
          subscribers: webhook ? [{ kind: "webhook", url: webhook }] : [],
        },
      ],
    },
  );
  return {
    id: applied.organisation.id,
    slug,
    appId: applied.apps[0]?.id ?? "",
    appNumber: applied.apps[0]?.number,
    email: `ada@${slug}.test`,
    token: applied.tokens[0]?.secret ?? "",
    tokenId: applied.tokens[0]?.id ?? "",
    key: applied.apps[0]?.keys[0]?.key ?? "",
  };
}

test("requests are routed to the cell of their organisation, by any credential they carry", async () => {
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  await using directory = await startService();
  const first = await makeTenant(directory.deps.pool, "first");
  const address = new URL(eu.url); // gets a standby that is down, and a password
  address.password = "hidden-word";
  address.searchParams.set("host", `${address.searchParams.get("host")},/nowhere`);
  const settings = { ...directory.env, LODGE_SECRET: secret, EU_URL: address.href };
  const added = await runCommand(["cell", "add", "eu", "--database-url-env", "EU_URL"], settings);
  assert.equal(added.code, 0, added.stderr);
  const noAddress = { ...settings, EU_URL: "https://database.test" };
  assert.match(
    (await runCommand(["cell", "add", "us", "--database-url-env", "EU_URL"], noAddress)).stderr,
    /postgres:\/\//,
  );
  await using pool = open(eu.url);
  await assert.rejects(
    addCell(directory.deps.pool, sealing, "us", { connectionString: eu.url }),
    /is already the cell eu/,
  );
  await assert.rejects(startService({ DATABASE_URL: eu.url }), /is the cell eu, not the cell home/);
  const restored = { ...settings, LODGE_SECRET: "a secret that the servers before did not have" };
  await assert.rejects(startService(restored), /LODGE_SECRET is not the secret that 1 stored secret is encrypted with/);
  assert.match((await runCommand(["cell", "list"], restored)).stderr, /^The address of the cell eu was encrypted/);
  await using lodge = await startService({ ...directory.env, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" });
  const there = await makeTenant(pool, "there");

  for (const tenant of [first, there]) {
    const filed = await lodge.fileTicket(tenant.token, { title: tenant.slug });
    assert.equal(filed.status, 201, filed.text);
    const bearer = { authorization: `Bearer ${tenant.token}` };
    const read = await lodge.request("GET", `/api/v1/tickets/${filed.body.id}`, { headers: bearer });
    assert.equal(read.body.title, tenant.slug);

    const report = await submitReport(lodge.url, tenant.key, { reportId: "r" }, [
      { partName: "log", bytes: Buffer.from(tenant.slug) },
    ]);
    const { thread, device } = report as unknown as Record<"thread" | "device", { id: string; token: string }>;
    for (const [path, { token }] of [
      [`/api/threads/${thread.id}/messages`, thread],
      [`/api/devices/${device.id}/threads`, device],
    ] as const) {
      const answer = await lodge.request("GET", path, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 200, answer.text);
    }

    const envelope = sentryEnvelope({}, [[{ type: "event" }, { message: tenant.slug }]]);
    for (const [headers, query] of [
      [{ "x-sentry-auth": `Sentry sentry_key=${tenant.key}` }, ""],
      [{}, `?sentry_key=${tenant.key}`],
    ] as const) {
      const path = `/api/${tenant.appNumber}/envelope/${query}`;
      const answer = await lodge.request("POST", path, { headers, body: envelope });
      assert.equal(answer.status, 200, answer.text);
    }

    const ada = visitor(lodge);
    assert.equal((await ada("POST", "/session", { email: tenant.email, password: "wrong password" })).status, 401);
    const signedIn = await ada("POST", "/session", { email: tenant.email.toUpperCase(), password });
    assert.equal(signedIn.status, 200, signedIn.text);
    const session = await ada("GET", "/session");
    assert.deepEqual([session.status, slugOf(session)], [200, tenant.slug]);

    // An invited person joins in the cell of the organisation, and nobody gets an account in two cells.
    const other = tenant === first ? there : first;
    for (const [email, status, code] of [
      [other.email, 409, "person_elsewhere"],
      [`bo@${tenant.slug}.test`, 200, undefined],
    ] as const) {
      const invited = await ada("POST", "/invitations", { email, role: "member" });
      const path = new URL(invited.body.url as string).pathname.replace("/invitations/", "/invitation-links/");
      assert.equal((await visitor(lodge)("GET", path)).status, 200);
      const accepted = await visitor(lodge)("POST", path, { name: "Bo", password });
      assert.deepEqual([accepted.status, accepted.body.error], [status, code], accepted.text);
    }
    assert.equal((await visitor(lodge)("POST", "/session", { email: `bo@${tenant.slug}.test`, password })).status, 200);

    const bo = await (tenant === first ? directory.deps.pool : pool).query("select id from users where email = $1", [
      `bo@${tenant.slug}.test`,
    ]);
    const made = await ada("POST", `/members/${bo.rows[0]?.id}/password-link`);
    const link = `/password-links/${new URL(`${made.body.url}`).pathname.split("/").at(-1)}`;
    assert.equal((await visitor(lodge)("GET", link)).status, 200);
    assert.equal((await visitor(lodge)("POST", link, { password: "another long password" })).status, 200);
    assert.equal((await visitor(lodge)("GET", link)).status, 404);

    const keyRing = makePasskeyDevice();
    const { origin } = new URL(lodge.url);
    const { options } = await ada.call(beginPasskey, { body: { password } });
    const credential = keyRing.make(options, { origin, counter: 1 });
    assert.equal((await ada("POST", "/profile/passkeys", { name: "Key ring", credential })).status, 201);
    const byPasskey = visitor(lodge);
    const { options: asked } = await byPasskey.call(beginPasskeySignIn);
    const signed = keyRing.sign(asked, { origin, counter: 2 });
    assert.equal((await byPasskey("POST", "/passkey-sign-ins/completion", { credential: signed })).status, 200);
    assert.equal(slugOf(await byPasskey("GET", "/session")), tenant.slug);

    await using provider = await startOpenIdProvider(`${lodge.url}/sign-in/${tenant.slug}`);
    const set = await ada("POST", "/identity-provider", {
      ...{ clientId: provider.clientId, clientSecret: provider.clientSecret, issuer: provider.issuer },
      ...{ domains: [`${tenant.slug}.test`], roleClaim: "roles", defaultRole: "member", isRequired: false },
      roles: { owner: [], admin: [], member: [] },
    });
    assert.equal(set.status, 200, set.text);
    provider.accounts.set("cy", { email: `cy@${tenant.slug}.test`, email_verified: true, name: "Cy" });
    provider.signsIn("cy");
    const byProvider = visitor(lodge);
    const { url } = await byProvider.call(beginProviderSignIn, { params: { slug: tenant.slug } });
    const completion = `/provider-sign-ins/${tenant.slug}/completion`;
    assert.equal((await byProvider("POST", completion, { answer: await provider.follow(url) })).status, 200);
    assert.equal(slugOf(await byProvider("GET", "/session")), tenant.slug);
    assert.equal((await ada("DELETE", "/session")).status, 204);
    assert.equal((await ada("GET", "/session")).status, 401);
  }
  const { rows } = await pool.query("select title from tickets");
  assert.deepEqual(rows, [{ title: "there" }]);
  const empty = await cloneDatabase();
  databases.defer(empty.drop);
  const replaced = addCell(directory.deps.pool, sealing, "eu", { connectionString: empty.url });
  await assert.rejects(replaced, /cell eu already exists, has organisations and uses another database/);
  assert.equal((await addCell(directory.deps.pool, sealing, "eu", { connectionString: address.href })).name, "eu");
  assert.equal((await pool.query("select from events")).rowCount, 2); // a report, and an event that was sent twice

  const unknown = await lodge.fileTicket(makeTokenSecret(), { title: "t" });
  const none = await lodge.fileTicket(null, { title: "t" });
  assert.deepEqual([unknown.status, unknown.text], [401, none.text]);
  // New organisations go to the cell with room, known ones to their own, and nobody gets an account in two cells.
  const apply = async (slug: string, emails: string[], ...more: string[]) => {
    const file = join(directory.deps.config.dataDir, `${slug}.json`);
    const members = emails.map((email) => ({ email, name: "Somebody", role: "member" }));
    await writeFile(file, JSON.stringify({ organisation: { name: slug, slug }, members }));
    return runCommand(["apply", file, ...more], settings);
  };
  assert.match((await apply("first", [there.email])).stderr, /has an account in eu: first would be in home/);
  const third = await apply("third", ["new@third.test"], "--cell", "eu");
  assert.equal(third.code, 0, third.stderr);
  const inEu = await runCommand(["token", "list", "third", "--cell", "eu"], settings);
  assert.equal(inEu.code, 0, inEu.stderr);
  assert.equal((await apply("fourth", [])).code, 0); // home has one, eu two
  const listed = await runCommand(["cell", "list"], settings);
  assert.doesNotMatch(listed.stdout, /hidden-word/);
  assert.deepEqual(
    JSON.parse(listed.stdout).map((cell: Record<string, unknown>) => [cell.name, cell.organisations]),
    [
      ["home", 2],
      ["eu", 2],
    ],
    listed.stderr,
  );
});

slowTest("if a cell or the directory is killed, the other cells keep working", async (t) => {
  let aheadMs = 0;
  const elapsed = performance.now.bind(performance);
  t.mock.method(performance, "now", () => elapsed() + aheadMs); // which servers cache
  await using homeFolder = await makeMigratedHome();
  await using usFolder = await makeMigratedHome();
  const homeUrl = await startCluster(homeFolder);
  const usUrl = await startCluster(usFolder);
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  const [home, us, inEu] = [homeUrl, usUrl, eu.url].map((url) => databases.use(open(url))) as [Pool, Pool, Pool];
  await addCell(home, sealing, "eu", { connectionString: eu.url });
  await addCell(home, sealing, "us", { connectionString: usUrl });
  await using lodge = await startService({ DATABASE_URL: homeUrl, ...unhurried });
  const tenants = {
    home: await makeTenant(home, "athome"),
    eu: await makeTenant(inEu, "ineu"),
    us: await makeTenant(us, "inus"),
    revoked: await makeTenant(inEu, "revoked"),
    /** Not used before the directory is down. */
    late: await makeTenant(inEu, "late"),
  };
  const { late: _late, revoked: _revoked, ...seen } = tenants;
  assert.equal((await lodge.fileTicket(tenants.revoked.token, { title: "t" })).status, 201);
  await using load = startLoad(lodge, seen);
  await until(() => Object.values(load.filed).every((count) => count > 5));

  await killCluster(usFolder);
  await load.untilRefused("us");
  await load.until("eu", "home");
  assert.deepEqual([load.refused.eu, load.refused.home], [0, 0]);
  await startCluster(usFolder);
  await load.until("us");

  const before = { ...load.refused };
  await killCluster(homeFolder);
  await load.untilRefused("home");
  await load.until("eu", "us");
  aheadMs = 60_000;
  await load.until("eu", "us");
  assert.deepEqual([load.refused.eu, load.refused.us], [before.eu, before.us]);
  const late = await lodge.fileTicket(tenants.late.token, { title: "t" });
  assert.deepEqual([late.status, late.body.error], [503, "unavailable"]);
  assert.match(late.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  const readiness = await lodge.request("GET", "/readyz");
  assert.deepEqual([readiness.status, readiness.body], [200, { status: "ready", away: ["home"] }]);
  const metrics = String((await lodge.request("GET", "/metrics")).text);
  assert.match(metrics, /^lodged_cell_up\{cell="home"\} 0$/m);
  assert.match(metrics, /^lodged_cell_up\{cell="eu"\} 1$/m);
  await withdrawToken(makeBasics(inEu), tenants.revoked.tokenId);
  assert.equal((await lodge.fileTicket(tenants.revoked.token, { title: "t" })).status, 401);
  await startCluster(homeFolder);
  await load.until("us", "home");
  await load.stop();
  await until(async () => (await lodge.fileTicket(tenants.late.token, { title: "t" })).status === 201);
  await until(async () => (await lodge.fileTicket(tenants.home.token, { title: "t" })).status === 201);
});

const soon = { now: () => new Date(Date.now() + 120_000) };

slowTest("an organisation moves under load: nothing is lost or duplicated; ids, links and sessions stay", async () => {
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  await using directory = await startService({ LODGE_ROLES: "api" });
  const home = directory.deps.pool;
  await using there = open(eu.url);
  await addCell(home, sealing, "eu", { connectionString: eu.url });
  await using receiver = await startReceiver();
  await using lodge = await startService({
    ...directory.env,
    ...withWorker,
    ...unhurried,
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  });
  const mover = await makeTenant(home, "mover", receiver.url);
  const stays = await makeTenant(home, "stays");
  const partner = await makeTenant(home, "partner");
  await applyWorld(makeBasics(home), {
    organisation: { name: "partner", slug: "partner" },
    members: [{ email: mover.email, name: "Ada", role: "member" }],
  });
  const bearer = { authorization: `Bearer ${mover.token}` };
  const ada = visitor(lodge);
  assert.equal((await ada("POST", "/session", { email: mover.email, password })).status, 200);
  const first = await lodge.fileTicket(mover.token, { title: "first" }, { "idempotency-key": "first" });
  const receipt = await submitReport(lodge.url, mover.key, { reportId: "first" }, [
    { partName: "log", bytes: Buffer.from("the log") },
  ]);
  const link = makeLink(lodge.deps, { appId: mover.appId, eventId: receipt.eventId, part: "0" });
  const go = (to: string, together = true, from = { pool: home, clock: soon }) =>
    moveOrganisation(from, sealing, { organisation: "mover", to, together, settleMs: 200 });

  await using load = startLoad(lodge, { mover, stays });
  await using reports = startReports(lodge, mover.key);
  await load.until("mover", "stays");
  await assert.rejects(go("eu", false), /are in partner as well/);
  await assert.rejects(go("us"), /no cell us/);
  await assert.rejects(
    moveOrganisation({ pool: home, clock: systemClock }, sealing, {
      organisation: "mover",
      to: "eu",
      together: true,
    }),
    /Wait a minute after adding it/,
  );
  const moved = await go("eu");
  assert.deepEqual([moved.organisations, moved.from, moved.to], [["mover", "partner"], "home", "eu"]);
  assert.ok(moved.changes > 0, "there were writes during the copy");
  assert.ok(moved.pauseMs !== null); // docs/decisions/cells.md has the duration on an idle machine
  await load.until("mover", "stays");
  const sent = await reports.stop();
  await load.stop();
  assert.equal(load.refused.stays, 0);

  const rowsIn = async (pool: pg.Pool, query: string) => (await pool.query(query, [mover.id])).rows;
  const tickets = await rowsIn(there, "select id, title from tickets where organisation_id = $1");
  const titles = tickets.map(({ title }) => title as string).sort();
  assert.deepEqual(titles, ["first", ...load.titles.mover].sort());
  for (const { id, title } of tickets) if (load.ids.has(title)) assert.equal(load.ids.get(title), id);
  const events = "select report_id from events join apps on apps.id = app_id where organisation_id = $1";
  const received = (await rowsIn(there, events)).map(({ report_id }) => report_id as string);
  assert.deepEqual(received.sort(), ["first", ...sent].sort());
  for (const query of [
    "select from tickets where organisation_id = $1",
    events,
    "select from organisations where id = $1",
  ]) {
    assert.deepEqual(await rowsIn(home, query), []);
  }
  await until(() => sent.every((id) => receiver.received.some(({ body }) => body.includes(`"${id}"`))));

  assert.equal((await ada("GET", "/session")).status, 200);
  assert.equal((await ada("GET", "/organisation")).status, 200);
  const replayed = await lodge.fileTicket(mover.token, { title: "again" }, { "idempotency-key": "first" });
  assert.deepEqual([replayed.status, replayed.body.id], [201, first.body.id]);
  assert.equal((await lodge.request("GET", `/api/v1/tickets/${first.body.id}`, { headers: bearer })).status, 200);
  assert.equal(await (await fetch(link)).text(), "the log");
  assert.equal((await submitReport(lodge.url, mover.key, { reportId: "first" })).eventId, receipt.eventId);
  assert.equal((await lodge.fileTicket(partner.token, { title: "t" })).status, 201);
  await assert.rejects(go("eu"), /is already in eu/);

  // If the command is killed after the copy but before the announcement, requests get 503 until it is repeated.
  const failing = Object.assign(Object.create(home) as pg.Pool, {
    query: (...asked: Parameters<pg.Pool["query"]>) =>
      String(asked[0]).startsWith("insert into cell_organisations")
        ? Promise.reject(new Error("killed"))
        : home.query(...asked),
  });
  await until(async () => (await rowsIn(there, unread)).length === 0);
  const before = await readRows(there, [mover.id, partner.id]);
  await assert.rejects(go("home", true, { pool: failing, clock: soon }), /killed/);
  const held = await lodge.fileTicket(mover.token, { title: "t" });
  assert.deepEqual([held.status, held.body.error], [503, "unavailable"]);
  const back = await go("home");
  assert.deepEqual(back.organisations, ["mover", "partner"]);
  assert.deepEqual(await readRows(home, [mover.id, partner.id]), before);
  assert.equal((await lodge.fileTicket(mover.token, { title: "t" })).status, 201);
  assert.deepEqual(await rowsIn(there, "select from organisations where id = $1"), []);

  // If the move fails before the copy is complete, the organisation stays in the old cell.
  await home.query("select from cells"); // nobody moves while the other cell is being asked
  const blocker = await there.connect();
  await blocker.query(`${begin}; lock table boards`);
  const failed = assert.rejects(go("eu"), /Nothing was moved/);
  const movers =
    "from pg_stat_activity where datname = $1 and application_name = 'lodged move' and wait_event_type = 'Lock'";
  const euName = new URL(eu.url).pathname.slice(1);
  await until(async () => (await home.query(`select ${movers}`, [euName])).rowCount === 1);
  await home.query(`select pg_terminate_backend(pid) ${movers}`, [euName]);
  await failed;
  blocker.release(true);
  assert.equal((await lodge.fileTicket(mover.token, { title: "t" })).status, 201);
  assert.equal((await home.query("select from pg_trigger where tgname ~ '^cell_note_'")).rowCount, 0);
});

slowTest("two schemas of one database are two cells, served by several servers, and share nothing", async () => {
  await using directory = await startService({ LODGE_ROLES: "api" });
  const home = directory.deps.pool;
  const connectionString = directory.env.DATABASE_URL ?? "";
  const settings = { ...directory.env, LODGE_SECRET: secret, NEAR_URL: connectionString, PORT: "0" };
  const add = ["cell", "add", "near", "--database-url-env", "NEAR_URL", "--schema"];
  assert.match((await runCommand([...add, "public"], settings)).stderr, /lowercase letters, digits and underscores/);
  const added = await runCommand([...add, "near"], settings);
  assert.equal(added.code, 0, added.stderr);
  const address = { connectionString, schema: "near" };
  await assert.rejects(addCell(home, sealing, "us", address), /That schema is already the cell near/);
  await using near = openPool(address, createLog("silent"), 2);
  const tablesOf = (schema: string, which: string) =>
    home.query(`select from pg_class where relnamespace = '${schema}'::regnamespace and ${which}`);
  assert.equal((await tablesOf("near", "relpersistence = 'u'")).rowCount, 0);
  assert.equal((await tablesOf("near", "relname = '_private_jobs'")).rowCount, 1);
  await until(() => directory.deps.cells.pools().get("near") !== undefined); // it migrates a cell before serving it
  await near.query("delete from schema_migrations where name = '0017_sentry.sql'; drop table unstored_items");
  const doctor = await runCommand(["doctor"], settings);
  assert.match(doctor.stdout, /^ok {5}Database: DATABASE_URL .* up to date$/m);
  assert.match(doctor.stdout, /^ok {5}Database: the cell near .* the next start applies 0017_sentry\.sql$/m);
  assert.equal((await runCommand(["migrate"], settings)).stdout, "near 0017_sentry.sql\n");
  assert.equal((await runCommand(["migrate"], settings)).stdout, "");

  await using receiver = await startReceiver();
  await using redis = await startRedis();
  const shared = { ...directory.env, ...unhurried, REDIS_URL: `redis://127.0.0.1:${redis.port}` };
  await using lodge = await startService({ ...shared, ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" });
  await using beside = await startService(shared);
  const stays = await makeTenant(home, "stays", `${receiver.url}/stays`);
  const mover = await makeTenant(near, "mover", `${receiver.url}/mover`);
  const heard = await Promise.all([stays, mover].map(({ email }) => listenAs(lodge, email)));
  for (const tenant of [mover, stays]) {
    assert.equal((await lodge.fileTicket(tenant.token, { title: tenant.slug })).status, 201);
    await submitReport(lodge.url, tenant.key, { reportId: tenant.slug });
  }
  assert.deepEqual(await Promise.all(heard.map((next) => next())), ["stays", "mover"]);
  const told = async (...paths: string[]) => (await receiver.until(paths.length)).map(({ path }) => path).sort();
  assert.deepEqual(await told("/mover", "/stays"), ["/mover", "/stays"]);
  assert.deepEqual((await home.query("select slug from organisations")).rows, [{ slug: "stays" }]);
  assert.deepEqual((await home.query("select report_id from events")).rows, [{ report_id: "stays" }]);

  await using load = startLoad(lodge, { mover, stays });
  await using besides = startLoad(beside, { mover, stays });
  const bothGoOn = () => Promise.all([load, besides].map((each) => each.until("mover", "stays")));
  await bothGoOn();
  const go = (to: string) =>
    moveOrganisation({ pool: home, clock: soon }, sealing, {
      organisation: "mover",
      to,
      together: false,
      settleMs: 200,
    });
  assert.equal((await go("home")).from, "near");
  await bothGoOn();
  await Promise.all([load.stop(), besides.stop()]);
  assert.deepEqual([load.refused.stays, besides.refused.stays], [0, 0]);
  const titles = "select title from tickets where organisation_id = $1";
  const found = (await home.query(titles, [mover.id])).rows.map(({ title }) => title as string);
  assert.deepEqual(found.sort(), ["mover", ...load.titles.mover, ...besides.titles.mover].sort());
  assert.equal((await near.query(titles, [mover.id])).rowCount, 0);
  await submitReport(lodge.url, mover.key, { reportId: "again" });
  assert.deepEqual(await told("/mover", "/mover", "/stays"), ["/mover", "/mover", "/stays"]);
  // On a busy machine, a count that exceeds the time limit of a page is omitted.
  await until(async () => {
    const { text } = await readMetrics(lodge);
    return [
      /^lodged_http_request_duration_seconds_count\{[^}]*cell="near"\} [1-9]/m,
      /^lodged_deliveries\{state="waiting",cell="near"\} \d+$/m,
      /^lodged_deliveries\{state="waiting"\} \d+$/m,
    ].every((pattern) => pattern.test(text));
  });
  await until(async () => (await home.query(unread, [mover.id])).rowCount === 0);
  const before = await readRows(home, [mover.id]);
  await go("near");
  assert.deepEqual(await readRows(near, [mover.id]), before);
  assert.equal((await lodge.fileTicket(mover.token, { title: "t" })).status, 201);
});

test("no partition of events is dropped while an organisation is moved or imported, including in a schema", async () => {
  const clock = movableClock();
  const days = { LODGE_EVENT_RETENTION_DAYS: "60", LODGE_LARGE_PROBLEM_RETENTION_DAYS: "10" };
  await using lodge = await startService({ LODGE_ROLES: "api", ...days }, { clock });
  const home = lodge.deps.pool;
  const address = { connectionString: lodge.env.DATABASE_URL ?? "", schema: "near" };
  await addCell(home, sealing, "near", address);
  await using near = openPool(address, createLog("silent"), 4);
  const deps = { ...lodge.deps, ...makeBasics(near), clock };
  const [stays, mover] = [await makeTenant(near, "stays"), await makeTenant(home, "mover")];
  await cutPartitions(deps, 0);
  const begun = () =>
    deps.db.selectFrom("event_partitions").selectAll().where("goes_whole", "=", true).orderBy("from_id").execute();
  const [{ from_id } = { from_id: null }] = await begun();
  const start = (timeOf(from_id ?? "") - Date.now()) / dayMs;
  clock.move(start * dayMs);
  await cutPartitions(deps);
  assert.deepEqual((await near.query("select from events_1")).rowCount, 0);
  assert.equal((await home.query("select from event_partitions")).rowCount, 1, "the other cell has its own");
  /** Crashes `day` days after the start of the first partition that is dropped whole, read into the inbox. */
  const crash = async (deps: Deps, { appId }: { appId: string }, day: number, count: number) => {
    const envelope = JSON.stringify({ reportId: "r", kind: "crash", error: { type: `Of${day}`, message: "m" } });
    const { rows } = await deps.pool.query<{ id: string }>(
      `with made as (
        insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
        select app_id, uuidv7($2 * interval '1 day'), 'copy', id, convert_to($3, 'UTF8'), now() + $2 * interval '1 day'
        from sdk_keys, generate_series(1, $4) where app_id = $1 returning app_id, id
      ) insert into unread_events (app_id, event_id) select app_id, id from made returning event_id as id`,
      [appId, start + day + 0.1, envelope, count],
    );
    while ((await readEvents(deps)).count > 0);
    return rows.map(({ id }) => id).sort();
  };
  const kept = async ({ appId }: { appId: string }) => {
    const { rows } = await near.query<{ id: string }>("select id from events where app_id = $1 order by id", [appId]);
    return rows.map(({ id }) => id);
  };
  const thinned = { largeProblems: 0, problems: 0, singleReports: 0 };
  const go = (to: string) =>
    moveOrganisation({ pool: home, clock: soon }, sealing, { organisation: "mover", to, together: false, settleMs: 0 });

  const [first, brought] = [await crash(deps, stays, 0, 1_100), await crash(lodge.deps, mover, 0, 5)];
  const second = await crash(deps, stays, 1, 1_100);
  clock.move(11.2 * dayMs);
  assert.deepEqual(await thinWhile(deps, () => go("near")), { ...thinned, days: 0 });
  assert.deepEqual([await kept(stays), await kept(mover)], [[...first, ...second], brought]);
  assert.deepEqual(await thinEvents(deps), { ...thinned, days: 99 });
  assert.deepEqual([await kept(mover), (await kept(stays)).length], [brought, 2_101]);
  assert.deepEqual((await kept(stays)).slice(0, 1), first.slice(0, 1));

  clock.move(dayMs);
  assert.deepEqual(await thinWhile(deps, () => go("home")), { ...thinned, days: 0 });
  assert.deepEqual(await kept(mover), []);
  assert.deepEqual(await thinEvents(deps), { ...thinned, days: 99 });
  assert.deepEqual([await kept(mover), (await kept(stays)).length], [[], 2_002]);

  const third = await crash(deps, stays, 2, 1_100);
  const imported = [...brought, ...(await crash(lodge.deps, mover, 2, 5))];
  const file = join(lodge.deps.config.dataDir, "mover.gz");
  await exportOrganisation(lodge.deps, "mover", file);
  clock.move(dayMs);
  const importing = () => importOrganisation({ ...deps, store: lodge.deps.store, sealing }, file);
  assert.deepEqual(await thinWhile(deps, importing), { ...thinned, days: 0 });
  assert.deepEqual(await kept(mover), imported);
  // Holds the lock of an import that may take hours. Deleting a report does not wait for it.
  const deleting = () =>
    deps.db.transaction().execute(async (tx) => {
      await lockDays(tx, deps.db);
      await deleteEvents(deps, stays.appId, third.slice(1, 2));
    });
  assert.deepEqual(await thinWhile(deps, deleting), { ...thinned, days: 0 });
  assert.deepEqual(await thinEvents(deps), { ...thinned, days: 98 });
  assert.deepEqual([await kept(mover), (await kept(stays)).length], [imported, 3_003]);
});

test("home cannot be added as a cell", async () => {
  await using lodge = await startService();
  const adding = addCell(lodge.deps.pool, sealing, "own", { connectionString: lodge.env.DATABASE_URL ?? "" });
  await assert.rejects(adding, /is already the cell home/);
  assert.equal((await lodge.deps.pool.query("select from cells")).rowCount, 0);
});

test("an organisation that lives in another cell cannot be imported into home as well", async () => {
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  await using directory = await startService();
  await addCell(directory.deps.pool, sealing, "eu", { connectionString: eu.url });
  await using lodge = await startService(directory.env);
  await using pool = open(eu.url);
  const { token } = await makeTenant(pool, "there");
  assert.equal((await lodge.fileTicket(token, { title: "t" })).status, 201);
  const file = join(lodge.deps.config.dataDir, "there.gz");
  const { store } = lodge.deps;
  await exportOrganisation({ ...makeBasics(pool), store, sealing }, "there", file);
  await assert.rejects(importOrganisation(lodge.deps, file), /there is in the cell eu/);
  assert.equal((await lodge.deps.pool.query("select from organisations where slug = 'there'")).rowCount, 0);
});

test("a sweep keeps the files of an import into another cell that is in progress", async () => {
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  await using directory = await startService();
  await addCell(directory.deps.pool, sealing, "eu", { connectionString: eu.url });
  const clock = movableClock();
  await using lodge = await startService(directory.env, { clock });
  await using origin = await startService();
  const { key } = await makeTenant(origin.deps.pool, "mover");
  await submitReport(origin.url, key, { reportId: "r" }, [{ partName: "log", bytes: Buffer.from("bytes") }]);
  const file = join(origin.deps.config.dataDir, "mover.gz");
  await exportOrganisation(origin.deps, "mover", file);
  clock.move(2 * dayMs);
  const store = {
    ...lodge.deps.store,
    create: async (key: string) => {
      const upload = await lodge.deps.store.create(key);
      return {
        ...upload,
        commit: () =>
          upload
            .commit()
            .then(() => sweepStore(lodge.deps))
            .then(() => {}),
      };
    },
  };
  await using pool = open(eu.url);
  const { files } = await importOrganisation({ ...makeBasics(pool), store, sealing }, file);
  assert.equal(files, 1);
  const { rows } = await pool.query<{ store_key: string }>("select store_key from artifacts");
  const kept = await lodge.deps.store.read(rows[0]?.store_key ?? "");
  assert.ok(kept);
  kept.destroy();
});

/**
 * Opens the dashboard as a person. The returned promise resolves to the title of the next card that the stream sends.
 */
async function listenAs(lodge: Client, email: string): Promise<() => Promise<string>> {
  const ada = visitor(lodge);
  assert.equal((await ada("POST", "/session", { email, password })).status, 200);
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { body } = await fetch(`${lodge.url}/api/dashboard/events`, { headers: { cookie } });
  const chunks = body?.pipeThrough(new TextDecoderStream()).values();
  let text = "";
  return async () => {
    for (;;) {
      const title = /"title":"(\w+)"/.exec(text)?.[1];
      if (title) return title;
      text += (await chunks?.next())?.value ?? "";
    }
  };
}

const unread = "select from unread_events join apps on apps.id = app_id where organisation_id = $1";

/** Work that no worker continues once the organisation has arrived. */
const settled =
  /^(organisations|members|projects|boards|columns|tokens|apps|sdk_keys|subscribers|tickets|ticket_activities|idempotency_records|events|artifacts|threads)$/;

/** The rows of organisations, except those that depend on the database they are in. */
async function readRows(pool: pg.Pool, ids: string[]) {
  const { tables } = await listMovingTables(makeBasics(pool).db);
  const rows: Record<string, unknown[]> = {};
  for (const table of tables.filter(({ name }) => settled.test(name))) {
    const query = sql<{ row: object }>`
      select to_jsonb(r) - 'transaction_id' - 'claimed_by' as row from ${sql.table(table.name)} r
      where ${belongsToAny(table, ids)} order by 1`;
    rows[table.name] = (await query.execute(makeBasics(pool).db)).rows;
  }
  return rows;
}

/** Sends reports one at a time, retrying each until it is accepted. `stop` returns their ids. */
function startReports(lodge: Client, key: string) {
  const sent: string[] = [];
  let stopped = false;
  const work = (async () => {
    while (!stopped) {
      const reportId = randomUUID();
      for (;;) {
        const form = new FormData();
        form.set("envelope", new Blob([JSON.stringify({ reportId })], { type: "application/json" }));
        const headers = { authorization: `Bearer ${key}` };
        const { status } = await fetch(`${lodge.url}/api/ingest`, { method: "POST", headers, body: form });
        if (status === 200) break;
        assert.equal(status, 503);
        await sleep(50);
      }
      sent.push(reportId);
      await sleep(20);
    }
  })();
  const stop = async () => {
    stopped = true;
    await work;
    return sent;
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

async function startCluster({ dataDir }: Home): Promise<string> {
  const { address } = await startEmbeddedPostgres(dataDir);
  return `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(address.host)}`;
}

async function killCluster(home: Home) {
  process.kill((await home.postmaster()) ?? 0, "SIGKILL");
  await until(async () => (await home.postmaster()) === undefined);
}

/**
 * Files tickets for each tenant, one at a time, and checks that each is filed once or refused with a documented error.
 */
function startLoad<Name extends string>(lodge: Client, tenants: Record<Name, { token: string }>) {
  const names = Object.keys(tenants) as Name[];
  const filed = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  const refused = { ...filed };
  const ids = new Map<string, string>();
  const titles = Object.fromEntries(names.map((name) => [name, [] as string[]])) as Record<Name, string[]>;
  let stopped = false;
  const work = names.map(async (name) => {
    while (!stopped) {
      const key = randomUUID();
      for (;;) {
        const answer = await lodge.fileTicket(tenants[name].token, { title: key }, { "idempotency-key": key });
        if (answer.status === 201) {
          ids.set(key, answer.body.id as string);
          filed[name] += 1;
          titles[name].push(key);
          break;
        }
        assert.deepEqual([answer.status, answer.body.error], [503, "unavailable"], answer.text);
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        refused[name] += 1;
        await sleep(50);
      }
      await sleep(10);
    }
  });
  const failed = Promise.all(work).then(() => new Promise<never>(() => {}));
  const settles = (holds: () => boolean) => Promise.race([until(holds), failed]);
  const stop = async () => {
    stopped = true;
    await Promise.all(work);
  };
  return {
    filed,
    refused,
    ids,
    titles,
    /** Waits until a tenant is refused. */
    untilRefused: (name: Name) => {
      const before = refused[name];
      return settles(() => refused[name] > before);
    },
    /** Waits until twenty more were filed for each. */
    until: (...these: Name[]) => {
      const before = { ...filed };
      return settles(() => these.every((name) => filed[name] >= before[name] + 20));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
