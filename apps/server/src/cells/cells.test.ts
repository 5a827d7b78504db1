import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { openPool } from "../platform/database/database.ts";
import { makeBasics } from "../platform/make-deps.ts";
import { createLog } from "../platform/observe/log.ts";
import { startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { applyWorld } from "../provisioning/apply-world.ts";
import { password, visitor } from "../testing/dashboard-client.ts";
import { type Home, makeMigratedHome } from "../testing/run-lodged.ts";
import { runCommand } from "../testing/start-process.ts";
import { type Client, cloneDatabase, startService } from "../testing/start-service.ts";
import { submitReport } from "../testing/submit-report.ts";
import { until } from "../testing/until.ts";
import { makeTokenSecret } from "../tokens/token-secret.ts";
import { withdrawToken } from "../tokens/withdraw-token.ts";
import { addCell } from "./add-cell.ts";

const secret = "a secret that only the tests know, long enough";
const unhurried = { LODGE_TICKET_RATE_PER_MINUTE: "1000000" };

const open = (connectionString: string) => openPool({ connectionString }, createLog("silent"), 2);
type Pool = ReturnType<typeof open>;

/** An organisation with somebody who can sign in, a token and an app, made in the cell of a pool. */
async function makeTenant(pool: pg.Pool, slug: string) {
  const applied = await applyWorld(makeBasics(pool), {
    organisation: { name: slug, slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write", "tickets:read"] }],
    apps: [{ name: "iOS", slug: "ios", keys: ["release"], replies: true }],
  });
  return {
    id: applied.organisation.id,
    slug,
    email: `ada@${slug}.test`,
    token: applied.tokens[0]?.secret ?? "",
    tokenId: applied.tokens[0]?.id ?? "",
    key: applied.apps[0]?.keys[0]?.key ?? "",
  };
}

test("requests go to the cell of their organisation, by whatever they carry", async () => {
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  await using directory = await startService();
  const first = await makeTenant(directory.deps.pool, "first");
  const settings = { ...directory.env, LODGE_SECRET: secret, EU_URL: eu.url };
  const added = await runCommand(["cell", "add", "eu", "--database-url-env", "EU_URL"], settings);
  assert.equal(added.code, 0, added.stderr);
  await using pool = open(eu.url);
  await assert.rejects(addCell(directory.deps.pool, secret, "us", eu.url), /is the cell eu already/);
  await assert.rejects(startService({ DATABASE_URL: eu.url }), /is the cell eu of a Lodge/);
  await using lodge = await startService(directory.env);
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

    const ada = visitor(lodge);
    assert.equal((await ada("POST", "/session", { email: tenant.email, password: "wrong password" })).status, 401);
    const signedIn = await ada("POST", "/session", { email: tenant.email.toUpperCase(), password });
    assert.equal(signedIn.status, 200, signedIn.text);
    const session = await ada("GET", "/session");
    assert.deepEqual([session.status, (session.body.organisation as { slug: string }).slug], [200, tenant.slug]);

    // Whoever is invited joins in the cell of the organisation, but nobody comes to be in two cells.
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
    assert.equal((await ada("DELETE", "/session")).status, 204);
    assert.equal((await ada("GET", "/session")).status, 401);
  }
  const { rows } = await pool.query("select title from tickets");
  assert.deepEqual(rows, [{ title: "there" }]);
  assert.equal((await pool.query("select from events")).rowCount, 1);

  const unknown = await lodge.fileTicket(makeTokenSecret(), { title: "t" });
  const none = await lodge.fileTicket(null, { title: "t" });
  assert.deepEqual([unknown.status, unknown.text], [401, none.text]);
  const listed = await runCommand(["cell", "list"], settings);
  assert.deepEqual(
    JSON.parse(listed.stdout).map((cell: Record<string, unknown>) => [cell.name, cell.organisations]),
    [
      ["home", 1],
      ["eu", 1],
    ],
    listed.stderr,
  );
});

test("a cell or the directory that is killed is an outage of nobody else", async () => {
  await using homeFolder = await makeMigratedHome();
  await using usFolder = await makeMigratedHome();
  const homeUrl = await startCluster(homeFolder);
  const usUrl = await startCluster(usFolder);
  await using databases = new AsyncDisposableStack();
  const eu = await cloneDatabase();
  databases.defer(eu.drop);
  const [home, us, inEu] = [homeUrl, usUrl, eu.url].map((url) => databases.use(open(url))) as [Pool, Pool, Pool];
  await addCell(home, secret, "eu", eu.url);
  await addCell(home, secret, "us", usUrl);
  await using lodge = await startService({ DATABASE_URL: homeUrl, ...unhurried });
  const tenants = {
    home: await makeTenant(home, "athome"),
    eu: await makeTenant(inEu, "ineu"),
    us: await makeTenant(us, "inus"),
    /** Nobody has asked for it before the directory is away. */
    late: await makeTenant(inEu, "late"),
  };
  const { late: _, ...seen } = tenants;
  const load = startLoad(lodge, seen);
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
  assert.deepEqual([load.refused.eu, load.refused.us], [before.eu, before.us]);
  const late = await lodge.fileTicket(tenants.late.token, { title: "t" });
  assert.deepEqual([late.status, late.body.error], [503, "unavailable"]);
  assert.match(late.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal((await lodge.request("GET", "/readyz")).status, 200);
  await load.stop();
  await withdrawToken(makeBasics(inEu), tenants.eu.tokenId);
  assert.equal((await lodge.fileTicket(tenants.eu.token, { title: "t" })).status, 401);
  await startCluster(homeFolder);
  await until(async () => (await lodge.fileTicket(tenants.late.token, { title: "t" })).status === 201);
  await until(async () => (await lodge.fileTicket(tenants.home.token, { title: "t" })).status === 201);
});

async function startCluster({ dataDir }: Home): Promise<string> {
  const { address } = await startEmbeddedPostgres(dataDir);
  return `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(address.host)}`;
}

async function killCluster(home: Home) {
  process.kill((await home.postmaster()) ?? 0, "SIGKILL");
  await until(async () => (await home.postmaster()) === undefined);
}

/** Files tickets for each tenant, one after the other, and sees that each is filed once or refused in the agreed way. */
function startLoad<Name extends string>(lodge: Client, tenants: Record<Name, { token: string }>) {
  const names = Object.keys(tenants) as Name[];
  const filed = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  const refused = { ...filed };
  const ids = new Map<string, string>();
  let stopped = false;
  const work = names.map(async (name) => {
    while (!stopped) {
      const key = randomUUID();
      for (;;) {
        const answer = await lodge.fileTicket(tenants[name].token, { title: key }, { "idempotency-key": key });
        if (answer.status === 201) {
          ids.set(key, answer.body.id as string);
          filed[name] += 1;
          break;
        }
        assert.deepEqual([answer.status, answer.body.error], [503, "unavailable"], answer.text);
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        refused[name] += 1;
        await sleep(50);
        if (stopped) break;
      }
      await sleep(10);
    }
  });
  const failed = Promise.all(work).then(() => new Promise<never>(() => {}));
  const settles = (holds: () => boolean) => Promise.race([until(holds), failed]);
  return {
    filed,
    refused,
    ids,
    /** Waits until a tenant is refused. */
    untilRefused: (name: Name) => {
      const before = refused[name];
      return settles(() => refused[name] > before);
    },
    /** Waits until twenty more were filed of each. */
    until: (...these: Name[]) => {
      const before = { ...filed };
      return settles(() => these.every((name) => filed[name] >= before[name] + 20));
    },
    stop: async () => {
      stopped = true;
      await Promise.all(work);
    },
  };
}
