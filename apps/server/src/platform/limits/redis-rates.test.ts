import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Redis } from "ioredis";
import { envelopePart } from "../../testing/encode-form.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { readMetrics } from "../../testing/read-metrics.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { startRedis, type TestRedis } from "../../testing/start-redis.ts";
import { until } from "../../testing/until.ts";
import { defineCount, openRedisRates } from "./redis-rates.ts";

const started = new AsyncDisposableStack();
const { log, lines } = logIntoMemory();
let redis: TestRedis;
let url: string;
let first: Door;
let second: Door;
before(async () => {
  redis = await startRedis();
  started.defer(() => redis[Symbol.asyncDispose]());
  url = `redis://127.0.0.1:${redis.port}`;
  const env = {
    REDIS_URL: url,
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "30",
    LODGE_TICKET_RATE_PER_MINUTE: "20",
  };
  first = started.use(await startDoor(env, { log }));
  second = started.use(await startDoor({ ...first.env, ...env }));
});
after(() => started.disposeAsync());

const report = (door: Door) => door.submit([envelopePart({ reportId: "r" })]);
/** Ten at a time: of more a busy process would hear Redis too late, and count by itself. */
const statusesOf = async (count: number, ask: (door: Door) => Promise<{ status: number }>) => {
  const answers = [];
  while (answers.length < count) {
    answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 ? first : second)))));
  }
  return Object.groupBy(answers, ({ status }) => `${status}`);
};

test("Redis counts exactly for all servers, at both doors, and the database counts nothing", async () => {
  const { tokens } = await first.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const reports = await statusesOf(50, report);
  assert.deepEqual([reports["200"]?.length, reports["429"]?.length], [30, 20]);
  const tickets = await statusesOf(50, (door) => door.fileTicket(tokens[0]?.secret, { title: "t" }));
  assert.deepEqual([tickets["201"]?.length, tickets["429"]?.length], [20, 30]);
  const refused = await report(first);
  const waitSeconds = Number(refused.headers.get("retry-after"));
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60);
  assert.deepEqual(await first.deps.db.selectFrom("rate_limits").selectAll().execute(), []);
  await using client = openClient(url);
  const ttls = await Promise.all((await client.redis.keys("lodged:*")).map((key) => client.redis.pttl(key)));
  assert.ok(ttls.length >= 3 && ttls.every((ms) => ms > 0 && ms <= 60_000), "each is forgotten after its minute");
});

test("Redis counts the requests of any 60 seconds, and those that it refused take no room", async () => {
  await using client = openClient(url);
  defineCount(client.redis);
  for (const rate of [60, 600]) {
    const bucket = `slides:${rate}`;
    const ask = async (count: number) => {
      const full = await Promise.all(Array.from({ length: count }, () => client.redis.lodgeCount(bucket, rate)));
      return full.filter((oldest) => oldest === null).length;
    };
    /** As if a minute had passed since the moments of the bucket that there are. */
    const age = async () => {
      const [, , ...moments] = await client.redis.lrange(bucket, 0, -1);
      for (const [index, atMs] of moments.entries())
        if (index % 2 === 0) await client.redis.lset(bucket, index + 2, Number(atMs) - 60_000);
    };
    assert.equal(await ask(rate / 3), rate / 3);
    await age();
    assert.equal(await ask(rate + 10), rate);
    assert.equal(await ask(10), 0);
    await age();
    assert.equal(await ask(1), 1);
    assert.deepEqual((await client.redis.lrange(bucket, 0, -1)).length, 4, "what is over is forgotten");
  }
});

test("where Redis hangs or is gone, each process counts by itself, says so once, and Redis counts again when it is back", async () => {
  const insured = async () =>
    Number(/^lodged_rate_limits_insured_total (\d+)$/m.exec((await readMetrics(first)).text)?.[1]);
  const said = () => lines().filter(({ msg }) => `${msg}`.startsWith("Redis"));
  const before = await insured();
  redis.pause();
  assert.equal((await report(first)).status, 200, "refused by Redis a moment ago, and unknown to the process itself");
  assert.equal((await report(first)).status, 200);
  redis.resume();
  await redis[Symbol.asyncDispose]();
  const statuses = await Promise.all(Array.from({ length: 40 }, () => report(first)));
  assert.equal(statuses.filter(({ status }) => status === 200).length, 28, "30 with the two before");
  assert.ok((await insured()) >= before + 42);
  assert.deepEqual(
    said().map(({ level, msg }) => [level, msg]),
    [["warn", "Redis does not answer: each process counts rates by itself"]],
  );
  redis = await startRedis(redis.port);
  await until(async () => (await report(first)).status === 200); // nothing is known to this Redis
  assert.deepEqual(
    said().map(({ level }) => level),
    ["warn", "info"],
  );
});

test("a cluster of Redis counts as well", async () => {
  await using node = await startRedis(undefined, ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]);
  {
    await using client = openClient(`redis://127.0.0.1:${node.port}`);
    await client.redis.call("cluster", "addslotsrange", "0", "16383");
    await until(async () => `${await client.redis.call("cluster", "info")}`.includes("cluster_state:ok"));
  }
  const rates = await openRedisRates(`redis+cluster://127.0.0.1:${node.port}`, log);
  const counts = [];
  for (const bucket of ["a", "b", "a", "a", "c"]) counts.push((await rates.count(bucket, 2)) === undefined);
  rates.close();
  assert.deepEqual(counts, [true, true, true, false, true]);
  await using client = openClient(`redis://127.0.0.1:${node.port}`);
  assert.deepEqual((await client.redis.keys("*")).sort(), ["lodged:a", "lodged:b", "lodged:c"]);
});

function openClient(address: string) {
  const redis = new Redis(address);
  return { redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
}
