import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { sweepRateLimits } from "../../platform/limits/rate-limit.ts";
import { envelopePart } from "../../testing/encode-form.ts";
import { ingestHead, openConnection } from "../../testing/open-connection.ts";
import { randomBytes } from "../../testing/random.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";

const clock = { at: new Date(), now: () => clock.at };
const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1000);
};
const doors: Door[] = [];
beforeEach(() => {
  clock.at = new Date("2026-05-01T10:00:00.400Z");
});
afterEach(async () => {
  for (const door of doors.splice(0).reverse()) await door[Symbol.asyncDispose]();
});

async function start(env: Record<string, string>): Promise<Door> {
  const door = await startDoor(env, { clock });
  doors.push(door);
  return door;
}

/** Submits reports until one is refused. Returns the number of accepted ones and the refusal's Retry-After. */
async function exhaust(door: Door, headers: Record<string, string> = {}) {
  for (let accepted = 0; ; accepted += 1) {
    const answer = await door.submit([envelopePart({ reportId: "r" })], {}, headers);
    if (answer.status !== 200) {
      assert.deepEqual([answer.status, answer.body.error], [429, "rate_limit_exceeded"]);
      return { accepted, retryAfter: answer.headers.get("retry-after") };
    }
  }
}

test("there are no rate limits unless they are switched on", async () => {
  const door = await start({});
  const answers = await Promise.all(Array.from({ length: 250 }, () => door.submit([envelopePart({ reportId: "r" })])));
  assert.ok(answers.every(({ status }) => status === 200));
  const { rows } = await door.deps.pool.query("select from rate_limits");
  assert.equal(rows.length, 0);
});

test("a key may send 60 reports a minute, and Retry-After is exact to the second", async () => {
  const door = await start({ LODGE_INGEST_RATE_LIMITS: "on" });
  assert.deepEqual(await exhaust(door), { accepted: 60, retryAfter: "60" });
  later(20.5);
  assert.deepEqual(await exhaust(door), { accepted: 0, retryAfter: "40" });
  later(39.4);
  assert.deepEqual(await exhaust(door), { accepted: 0, retryAfter: "1" });
  later(0.1);
  assert.deepEqual(await exhaust(door), { accepted: 60, retryAfter: "60" });
  assert.deepEqual(await door.refusals(4), { rate_limit_exceeded: 4 });
});

test("an address may send 200 reports a minute over all keys, and each key has its own limit", async () => {
  const door = await start({ LODGE_INGEST_RATE_LIMITS: "on" });
  const keys = ["a", "b", "c", "d"];
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys }],
  });
  const accepted = [];
  for (const { key } of apps[0]?.keys ?? []) {
    accepted.push((await exhaust(door, { authorization: `Bearer ${key}` })).accepted);
  }
  // Refused requests count too: 3 × 61 of 200 are used up.
  assert.deepEqual(accepted, [60, 60, 60, 17]);
});

test("requests without a valid key, preflights and GET /api/config do not count", async () => {
  const door = await start({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "2",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "3",
  });
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await door.submit([], {}, { authorization: "Bearer nobody" })).status, 401);
    assert.equal((await door.request("OPTIONS", "/api/ingest")).status, 204);
    const config = await door.request("GET", "/api/config", { headers: { authorization: `Bearer ${door.key}` } });
    assert.equal(config.status, 200);
  }
  assert.equal((await exhaust(door)).accepted, 2);
});

test("windows that a wrong clock started in the future start over, and are swept", async () => {
  const door = await start({ LODGE_INGEST_RATE_LIMITS: "on" });
  later(86_400);
  assert.equal((await exhaust(door)).accepted, 60);
  later(-86_400);
  assert.deepEqual(await exhaust(door), { accepted: 60, retryAfter: "60" });
  later(-86_400);
  await sweepRateLimits(door.deps);
  assert.deepEqual(await door.deps.db.selectFrom("rate_limits").selectAll().execute(), []);
});

test("a used-up rate limit is refused before a suspension, and before the body is read", async () => {
  const door = await start({ LODGE_INGEST_RATE_LIMITS: "on", LODGE_INGEST_KEY_RATE_PER_MINUTE: "1" });
  await exhaust(door);
  await door.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
  );
  await using connection = await openConnection(door.url);
  await connection.send(ingestHead([...door.lines, "Content-Length: 1000", "Expect: 100-continue"]));
  assert.equal((await connection.answer())?.status, 429);
  await connection.closed;
});

test("Retry-After is the longer of two waits", async () => {
  const door = await start({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "2",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "3",
  });
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["a", "b"] }],
  });
  const [a, b] = (apps[0]?.keys ?? []).map(({ key }) => ({ authorization: `Bearer ${key}` }));
  await door.submit([envelopePart({ reportId: "r" })], {}, a);
  later(30);
  assert.deepEqual(await exhaust(door, b), { accepted: 2, retryAfter: "60" });
});

test("all servers of a deployment share the rate limits", async () => {
  const first = await start({ LODGE_INGEST_RATE_LIMITS: "on", LODGE_INGEST_KEY_RATE_PER_MINUTE: "30" });
  const second = await start({ ...first.env, LODGE_INGEST_RATE_LIMITS: "on", LODGE_INGEST_KEY_RATE_PER_MINUTE: "30" });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => [first, second][index % 2]?.submit([envelopePart({ reportId: "r" })])),
  );
  assert.equal(answers.filter((answer) => answer?.status === 200).length, 30);
  assert.equal(answers.filter((answer) => answer?.status === 429).length, 20);
});

test("X-Forwarded-For counts only if it comes from a trusted proxy", async () => {
  const limits = {
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "3",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "1000",
  };
  const behind = await start({ ...limits, LODGE_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1" });
  assert.equal((await exhaust(behind, { "x-forwarded-for": "198.51.100.1" })).accepted, 3);
  assert.equal((await exhaust(behind, { "x-forwarded-for": "198.51.100.2" })).accepted, 3);
  assert.equal(
    (await exhaust(behind, { "x-forwarded-for": "203.0.113.9, 198.51.100.1" })).accepted,
    0,
    "a client's own X-Forwarded-For does not count",
  );
  assert.equal(
    (await exhaust(behind, { "x-forwarded-for": "198.51.100.1, 10.1.2.3" })).accepted,
    0,
    "trusted proxies in the header are skipped",
  );
  assert.equal((await exhaust(behind, { "x-forwarded-for": "2001:db8::1" })).accepted, 3);
  assert.equal((await exhaust(behind)).accepted, 3, "requests of the proxy itself count for its own address");

  const direct = await start(limits);
  assert.equal((await exhaust(direct, { "x-forwarded-for": "198.51.100.1" })).accepted, 3);
  assert.equal((await exhaust(direct, { "x-forwarded-for": "198.51.100.2" })).accepted, 0);
  const elsewhere = await start({ ...limits, LODGE_TRUSTED_PROXIES: "10.0.0.0/8" });
  assert.equal((await exhaust(elsewhere, { "x-forwarded-for": "198.51.100.1" })).accepted, 3);
  assert.equal((await exhaust(elsewhere, { "x-forwarded-for": "198.51.100.2" })).accepted, 0);
});

test("a bucket never stores more than its limit", async () => {
  const door = await start({ LODGE_INGEST_RATE_LIMITS: "on", LODGE_TRUSTED_PROXIES: "127.0.0.1" });
  for (const address of [randomBytes(5_000).toString("hex"), "unknown", ",", " "]) {
    const { status } = await door.submit([envelopePart({ reportId: "r" })], {}, { "x-forwarded-for": address });
    assert.equal(status, 200, address.slice(0, 20));
  }
});

test("buckets are deleted an hour after their window ends, and those still needed stay", async () => {
  const door = await start({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "3",
    LODGE_TRUSTED_PROXIES: "127.0.0.0/8",
  });
  const from = (address: string) => ({ "x-forwarded-for": address });
  for (const address of ["192.0.2.1", "192.0.2.2"]) await exhaust(door, from(address));
  later(3_601);
  assert.equal((await exhaust(door, from("192.0.2.2"))).accepted, 3);
  await sweepRateLimits(door.deps);
  const { rows } = await door.deps.pool.query<{ bucket: string }>(
    "select bucket from rate_limits where bucket like 'address:%'",
  );
  assert.deepEqual(rows, [{ bucket: "address:192.0.2.2" }]);
  assert.equal((await exhaust(door, from("192.0.2.2"))).accepted, 0);
  assert.equal((await exhaust(door, from("192.0.2.1"))).accepted, 3);
});
