import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { envelopePart } from "../../testing/encode-form.ts";
import { freePort } from "../../testing/free-port.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { readMetrics } from "../../testing/read-metrics.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { startRedis, type TestRedis } from "../../testing/start-redis.ts";
import { until } from "../../testing/until.ts";
import { createLog } from "../observe/log.ts";
import { defineCount, openRedisRates } from "./redis-rates.ts";

const started = new AsyncDisposableStack();
let redis: TestRedis;
let url: string;
let env: Record<string, string>;
let first: Door;
let second: Door;
before(async () => {
  redis = await startRedis();
  started.defer(() => redis[Symbol.asyncDispose]());
  url = `redis://127.0.0.1:${redis.port}`;
  env = {
    REDIS_URL: url,
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "30",
    LODGE_TICKET_RATE_PER_MINUTE: "20",
  };
  first = started.use(await startDoor(env));
  second = started.use(await startDoor({ ...first.env, ...env }));
});
after(() => started.disposeAsync());

const report = (door: Door) => door.submit([envelopePart({ reportId: "r" })]);
/** The number of requests counted without Redis so far. */
const insured = async () =>
  Number(/^lodged_rate_limits_insured_total (\d+)$/m.exec((await readMetrics(first)).text)?.[1]);
/**
 * Sends 50 requests, ten at a time, and asserts how many are allowed: exactly `count`, or more if a process that was
 * too busy to get Redis's reply in time counted some of them by itself.
 */
const assertLetThrough = async (count: number, status: number, ask: (door: Door) => Promise<{ status: number }>) => {
  const before = await insured();
  const statuses: number[] = [];
  while (statuses.length < 50) {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 ? first : second)));
    statuses.push(...answers.map((answer) => answer.status));
  }
  const [letThrough, refused] = [status, 429].map((given) => statuses.filter((one) => one === given).length);
  assert.equal((letThrough ?? 0) + (refused ?? 0), 50);
  if ((await insured()) === before) assert.equal(letThrough, count);
  else assert.ok((letThrough ?? 0) >= count, `${letThrough}`);
};

test("Redis counts exactly for all servers and both APIs, and the database counts nothing", async () => {
  const { tokens } = await first.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  await assertLetThrough(30, 200, report);
  await assertLetThrough(20, 201, (door) => door.fileTicket(tokens[0]?.secret, { title: "t" }));
  let refused = await report(first);
  while (refused.status === 200) refused = await report(first); // counted by the process itself
  const waitSeconds = Number(refused.headers.get("retry-after"));
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60);
  assert.deepEqual(await first.deps.db.selectFrom("rate_limits").selectAll().execute(), []);
  await using client = openClient(url);
  const ttls = await Promise.all((await client.redis.keys("lodged:*")).map((key) => client.redis.pttl(key)));
  assert.ok(ttls.length >= 3 && ttls.every((ms) => ms > 0 && ms <= 60_000), "each bucket expires after a minute");
});

test("Redis counts a sliding window of 60 seconds, in which refused requests do not count", async () => {
  await using client = openClient(url);
  defineCount(client.redis);
  for (const rate of [60, 600]) {
    const bucket = `slides:${rate}`;
    const ask = async (count: number) => {
      const full = await Promise.all(Array.from({ length: count }, () => client.redis.lodgeCount(bucket, rate)));
      return full.filter((oldest) => oldest === null).length;
    };
    /** Moves the existing moments of the bucket a minute into the past. */
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
    assert.deepEqual((await client.redis.lrange(bucket, 0, -1)).length, 4, "expired moments are deleted");
  }
});

test("if Redis hangs or is gone, each process counts by itself and logs it once, until Redis is back", async () => {
  const { log, lines } = logIntoMemory();
  await using door = await startDoor({ ...first.env, ...env }, { log });
  const before = await insured();
  // Send reports until Redis refuses one. After a late reply, the process counts by itself for a second.
  let late = 0;
  while ((await report(door)).status === 200) {
    if ((await insured()) === before + late) continue;
    late += 1;
    await sleep(1_000);
  }
  const saidBefore = lines().length;
  const said = () =>
    lines()
      .slice(saidBefore)
      .filter(({ msg }) => `${msg}`.startsWith("Redis"));
  redis.pause();
  assert.equal((await report(door)).status, 200, "the process does not know what Redis has counted");
  assert.equal((await report(door)).status, 200);
  redis.resume();
  await redis[Symbol.asyncDispose]();
  const statuses = await Promise.all(Array.from({ length: 40 }, () => report(door)));
  assert.equal(statuses.filter(({ status }) => status === 200).length, 28 - late, "30 with the two reports before");
  assert.ok((await insured()) >= before + late + 42);
  assert.deepEqual(
    said().map(({ level, msg }) => [level, msg]),
    [["warn", "Redis does not answer: each process counts rates by itself"]],
  );
  redis = await startRedis(redis.port);
  await until(async () => (await report(door)).status === 200); // the new Redis knows of no requests
  assert.deepEqual(
    said()
      .slice(0, 2)
      .map(({ level }) => level),
    ["warn", "info"],
  );
});

test("a cluster of Redis counts as well", async () => {
  const bus = `${await freePort()}`; // the default, 10,000 above the other port, may be in use
  const options = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", bus];
  await using node = await startRedis(undefined, options);
  {
    await using client = openClient(`redis://127.0.0.1:${node.port}`);
    await client.redis.call("cluster", "addslotsrange", "0", "16383");
    await until(async () => `${await client.redis.call("cluster", "info")}`.includes("cluster_state:ok"));
  }
  const rates = await openRedisRates(`redis+cluster://127.0.0.1:${node.port}`, createLog("silent"));
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
