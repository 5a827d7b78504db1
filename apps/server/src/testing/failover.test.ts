import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { thinEvents } from "../both/retention/thin-events.ts";
import { cutPartitions } from "../inbox/reports/cut-partitions.ts";
import { applyWorld } from "../operate/provisioning/apply-world.ts";
import { readHosts } from "../platform/config/read-hosts.ts";
import { openPool } from "../platform/database/database.ts";
import { openReplicas } from "../platform/database/replicas.ts";
import { makeBasics } from "../platform/make-deps.ts";
import { createLog } from "../platform/observe/log.ts";
import { lists } from "../read-from-replicas.ts";
import { password, signedIn, visitor } from "./dashboard-client.ts";
import { keepClients } from "./keep-clients.ts";
import { logIntoMemory } from "./log-into-memory.ts";
import { movableClock } from "./movable-clock.ts";
import { readMetrics } from "./read-metrics.ts";
import { runCommand } from "./start-process.ts";
import { startReceiver } from "./start-receiver.ts";
import { startService, withWorker } from "./start-service.ts";
import { startPair } from "./start-standby.ts";
import { subscribe, webhook } from "./subscribe.ts";
import { until } from "./until.ts";

const dayMs = 86_400_000;

for (const [what, fail] of Object.entries({ dies: "kill", "falls silent": "hang" } as const)) {
  test(`a server continues with the standby when the primary ${what}, and loses or duplicates nothing that was answered`, async () => {
    await using receiver = await startReceiver();
    await using pair = await startPair({ synchronous: true });
    const { primary, standby } = pair;
    await using lodge = await startService({
      ...withWorker,
      DATABASE_URL: pair.url(standby, primary),
      LODGE_TICKET_RATE_PER_MINUTE: "1000000",
      LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
      LODGE_WEBHOOK_RETRY_SCHEDULE: "200ms,200ms,200ms",
    });
    const { tokens } = await lodge.apply({
      organisation: { name: "Acme", slug: "acme" },
      projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
      tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
    });
    const { key } = await subscribe(lodge, [webhook(receiver)]);
    const heard: string[] = [];
    await lodge.deps.listening.add({ onNotification: ({ id }) => heard.push(id), onGap: () => heard.push("gap") });

    const load = keepClients(lodge, tokens[0]?.secret, key);
    await load.goesOn(50);
    await primary[fail]();
    await load.isRefused();
    await standby.query("alter system set synchronous_standby_names = ''");
    await standby.query("select pg_promote()");
    await load.goesOn(50);
    const answered = await load.stop();

    const sorted = (rows: Record<string, unknown>[]) => rows.map(({ id }) => `${id}`).sort();
    assert.deepEqual(sorted(await standby.query("select title as id from tickets")), answered);
    assert.deepEqual(sorted(await standby.query("select report_id as id from events")), answered);
    const delivered = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    await until(() => delivered().size === answered.length);
    await until(() => heard.includes("gap"));
  });
}

test("a commit that takes longer than its request is announced to dashboards once it is visible", async () => {
  await using pair = await startPair({ synchronous: true });
  const { primary, standby } = pair;
  await using lodge = await startService({ DATABASE_URL: pair.url(primary) });
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  let isTold = false;
  await lodge.deps.listening.add({
    onNotification: () => {},
    onGap: () => {
      isTold = true;
    },
  });
  const file = () => lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  assert.equal((await file()).status, 201);
  await standby.hang();
  assert.equal((await file()).status, 503);
  await primary.query("alter system set synchronous_standby_names = ''");
  await primary.query("select pg_reload_conf()");
  await until(() => isTold);
  // The announcement and the commit both wait for the standby, and are released at the same time.
  await until(async () => (await lodge.deps.pool.query("select from tickets")).rowCount === 2);
});

test("an address can list several hosts, as in libpq, and the one that accepts writes is used", async () => {
  const hosts = (address: string) => readHosts(address)?.hosts.map(({ host, port }) => `${host} ${port}`);
  assert.deepEqual(hosts("postgres://a:b@one:5433,two,[::1]:7/lodge?target_session_attrs=read-write"), [
    "one 5433",
    "two 5432",
    "::1 7",
  ]);
  assert.deepEqual(hosts("postgres://a@/lodge?host=/run/one,/run/two&port=1,2"), ["/run/one 1", "/run/two 2"]);
  assert.equal(
    readHosts("postgres://a:b%40c@one,two:3/lodge?sslmode=require")?.first,
    "postgres://a:b%40c@one/lodge?sslmode=require",
  );
  for (const wrong of [
    "http://one",
    "postgres://one,,two/l",
    "postgres://one:99999,two/l",
    "postgres://one,two/l?target_session_attrs=any",
  ]) {
    assert.equal(readHosts(wrong), undefined, wrong);
  }
});

test("lists come from a replica that has every commit, or from the primary if the replica is behind or gone", async () => {
  await using pair = await startPair();
  const { log, lines } = logIntoMemory();
  await using lodge = await startService(
    {
      DATABASE_URL: pair.url(pair.primary),
      DATABASE_REPLICA_URLS: pair.url(pair.standby),
      LODGE_TICKET_RATE_PER_MINUTE: "1000000",
    },
    { log },
  );
  const { projects, tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const ada = await signedIn(lodge, "ada@acme.test");
  const [board] = projects[0]?.boards ?? [];
  const boardId = board?.id ?? "";
  const columnId = board?.columns[0]?.id ?? "";
  const reads = async () => {
    const { text } = await lodge.request("GET", "/metrics");
    const count = (outcome: string) =>
      Number(new RegExp(`^lodged_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
    return { replica: count("replica"), behind: count("behind"), failed: count("failed"), away: count("away") };
  };
  let filed = 0;
  const fileAndLook = async () => {
    const title = `ticket ${filed++}`;
    assert.equal((await lodge.fileTicket(tokens[0]?.secret, { title })).status, 201);
    for (const _ of ["numbers it", "only reads"]) {
      const { body } = await ada("GET", `/columns/${columnId}/cards`);
      assert.equal((body.cards as { title: string }[])[0]?.title, title);
    }
  };
  const rises = async (outcome: "replica" | "behind" | "away", act: () => Promise<unknown> = fileAndLook) => {
    const before = (await reads())[outcome];
    await until(async () => {
      await act();
      return (await reads())[outcome] > before;
    });
  };

  await rises("replica");
  const { failed } = await reads();
  const ids: Record<string, string> = { boardId, columnId, projectId: projects[0]?.id ?? "" };
  for (const { path } of lists) {
    const answer = await lodge.request(
      "GET",
      path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? randomUUID()),
      {
        headers: { cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      },
    );
    assert.ok(answer.status < 500, path);
  }
  assert.equal((await reads()).failed, failed, "no list writes, which a replica would refuse");

  await pair.standby.query("select pg_wal_replay_pause()");
  await rises("behind");
  await pair.standby.query("select pg_wal_replay_resume()");
  await rises("replica");
  await pair.standby.kill();
  await rises("away");
  // On a busy machine, measuring may take longer than /metrics waits.
  const warnings = lines().filter(({ level, msg }) => level === "warn" && msg !== "some metrics could not be measured");
  assert.deepEqual(
    [...new Set(warnings.map(({ msg }) => msg))],
    ["a replica is left out: the primary answers in its place"],
  );
});

test("a list that a replica cancels because a partition is dropped is answered by the primary", async () => {
  await using pair = await startPair();
  await pair.standby.query("alter system set max_standby_streaming_delay = '100ms'");
  await pair.standby.query("select pg_reload_conf()");
  const clock = movableClock();
  await using lodge = await startService({ DATABASE_URL: pair.url(pair.primary), LODGE_ROLES: "api" }, { clock });
  const { deps } = lodge;
  await cutPartitions(deps, 0);
  clock.move(12 * dayMs);
  await cutPartitions(deps);
  const { rows: days } = await deps.pool.query<{ from_id: string }>(
    "select from_id from event_partitions where goes_whole",
  );
  await using replicas = openReplicas(
    [{ connectionString: pair.url(pair.standby) }],
    deps.pool,
    createLog("silent"),
    2,
  );
  // On the standby it takes longer than a list may.
  const slow = `select pg_is_in_recovery() as "isStandby", pg_sleep(case when pg_is_in_recovery() then 600 else 0 end)
    from (select count(*) from events) read`;
  const reading = replicas.read(
    async () => (await replicas.pool.query<{ isStandby: boolean }>(slow)).rows[0]?.isStandby,
  );
  const isReading = `select from pg_stat_activity where state = 'active' and query like 'select pg_is_in_recovery() as "isStandby"%'`;
  await until(async () => (await pair.standby.query(isReading)).length > 0);
  clock.move(60 * dayMs);
  await thinEvents(deps);
  const { rows: left } = await deps.pool.query("select from event_partitions where goes_whole and from_id = $1", [
    days[0]?.from_id,
  ]);
  assert.deepEqual([days.length > 0, left.length], [true, 0], "the partition was dropped");
  assert.equal(await reading, false);
});

test("the lists of a cell come from the replicas that it was added with", async () => {
  await using pair = await startPair();
  await using directory = await startService({ LODGE_ROLES: "api" });
  const settings = {
    ...directory.env,
    LODGE_SECRET: "a secret that only the tests know, long enough",
    NEAR_URL: pair.url(pair.primary),
    PORT: "0",
  };
  const add = (replicas: string) =>
    runCommand("cell add near --database-url-env NEAR_URL --replica-urls-env NEAR_REPLICAS".split(" "), {
      ...settings,
      NEAR_REPLICAS: replicas,
    });
  assert.match((await add("db2")).stderr, /Set NEAR_REPLICAS to comma-separated postgres:/);
  assert.match((await add(settings.NEAR_URL)).stderr, /A replica cannot be used: it is not a standby/);
  const added = await add(pair.url(pair.standby));
  assert.equal(added.code, 0, added.stderr);
  await using near = openPool({ connectionString: settings.NEAR_URL }, createLog("silent"), 1);
  const { projects } = await applyWorld(makeBasics(near), {
    organisation: { name: "Near", slug: "near" },
    members: [{ email: "ada@near.test", name: "Ada", role: "owner", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
  });
  await using lodge = await startService({ ...directory.env });
  const ada = visitor(lodge);
  assert.equal((await ada("POST", "/session", { email: "ada@near.test", password })).status, 200);
  const column = projects[0]?.boards[0]?.columns[0]?.id;
  const reads = async () =>
    Number(/^lodged_replica_reads_total\{outcome="replica"\} (\d+)$/m.exec((await readMetrics(lodge)).text)?.[1] ?? 0);
  const before = await reads();
  await until(async () => {
    assert.equal((await ada("GET", `/columns/${column}/cards`)).status, 200);
    return (await reads()) > before;
  });
});
