import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { sentryEnvelope } from "../../testing/sentry-envelope.ts";
import { startDoor } from "../../testing/start-door.ts";
import { assertRefused, eventItem, newEventId, startSentryDoor } from "../../testing/start-sentry-door.ts";

// The refusals of Sentry's endpoints (contract section 3, Sentry's protocol).

const door = await startSentryDoor();
after(() => door[Symbol.asyncDispose]());
const { auth, number, postBody: post, send, stored } = door;

test("broken framing, broken JSON and a second event are invalid_sentry_envelope, and nothing is kept", async () => {
  const before = await door.reportIds();
  const id = newEventId();
  const event = JSON.stringify({ event_id: id });
  for (const [body, path] of [
    ["", ""],
    ["no JSON", "/header"],
    ["[]", "/header"],
    [`{}\n{"type":"event","length":1000}\n${event}`, "/items/0"],
    [`{}\n{"type":"event","length":2}\n${event}`, "/items/0"],
    [`{}\n{"type":"event","length":-1}\n${event}`, "/items/0/header/length"],
    [`{}\n{"type":"event","length":1.5}\n${event}`, "/items/0/header/length"],
    [`{}\n{"length":2}\n{}`, "/items/0/header/type"],
    [`{}\nno JSON\n{}`, "/items/0/header"],
    [`{}\n{"type":"event"}\nno JSON`, "/items/0"],
    [`{}\n{"type":"event"}\n[]`, "/items/0"],
    [`{}\n{"type":"event"}\n${event}\n{"type":"event"}\n${event}`, "/items/1"],
    [`{}\n${`{"type":"session"}\n{}\n`.repeat(1_001)}`, "/items"],
    [`${JSON.stringify({ padding: "x".repeat(70_000) })}\n`, "/header"],
    [`{}\n{"type":"event"}\n[${"[],".repeat(200_001)}[]]`, "/items/0"],
  ] as const) {
    await assertRefused(post(body), 400, "invalid_sentry_envelope", path);
  }
  await assertRefused(
    post(Buffer.from("junk"), { ...auth, "content-encoding": "gzip" }),
    400,
    "invalid_sentry_envelope",
  );
  assert.deepEqual(await door.reportIds(), before);
});

test("an event above 5 MB and a request above its limit are 413 payload_too_large", async () => {
  const large = (bytes: number) => sentryEnvelope({}, [[{ type: "event" }, `{"message":"${"x".repeat(bytes - 14)}"}`]]);
  const answer = await post(gzipSync(large(5_000_000)), { ...auth, "content-encoding": "gzip" });
  assert.equal(answer.status, 200, answer.text);
  await assertRefused(
    post(gzipSync(large(5_000_001)), { ...auth, "content-encoding": "gzip" }),
    413,
    "payload_too_large",
  );
  await assertRefused(post(large(5_000_001)), 413, "payload_too_large");
  const replay = sentryEnvelope({}, [[{ type: "replay_recording" }, Buffer.alloc(25_000_001)]]);
  await assertRefused(post(replay), 413, "payload_too_large");
  for (const [encoding, encode] of [
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ] as const) {
    await assertRefused(post(encode(replay), { ...auth, "content-encoding": encoding }), 413, "payload_too_large");
  }
});

test("/store/ accepts JSON, and zlib in base64 as old clients send it", async () => {
  const path = `/api/${number}/store/`;
  const plain = { event_id: newEventId(), message: "plain", level: "warning" };
  assert.deepEqual((await post(JSON.stringify(plain), auth, path)).body, { id: plain.event_id });
  const old = { event_id: newEventId(), "sentry.interfaces.Message": { message: "old %s", formatted: "old one" } };
  const packed = deflateSync(JSON.stringify(old)).toString("base64");
  assert.deepEqual((await post(packed, auth, path.slice(0, -1))).body, { id: old.event_id });
  assert.equal((await stored(old.event_id)).original?.toString(), JSON.stringify(old));
  assert.equal((await stored(old.event_id)).envelope.message, "old one");
  const long = { event_id: newEventId(), extra: { text: randomBytes(200_000).toString("hex") } };
  assert.deepEqual(
    (await post(gzipSync(JSON.stringify(long)), { ...auth, "content-encoding": "gzip" }, path)).status,
    200,
  );
  for (const body of ["", "eJ!", "AAAA", packed.slice(0, 20), "[]"]) {
    await assertRefused(post(body, auth, path), 400, "invalid_sentry_envelope");
  }
  const bomb = deflateSync(`{"message":"${"x".repeat(5_000_000)}"}`).toString("base64");
  await assertRefused(post(bomb, auth, path), 413, "payload_too_large");
});

test("browsers of any origin may send, and read the headers that tell them to wait", async () => {
  for (const path of ["envelope", "envelope/", "store", "store/"]) {
    const preflight = await door.request("OPTIONS", `/api/${number}/${path}`, {
      headers: { origin: "https://a.test" },
    });
    assert.equal(preflight.status, 204);
    const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ") ?? [];
    for (const header of ["x-sentry-auth", "content-type", "content-encoding", "sentry-trace", "baggage"]) {
      assert.ok(allowed.includes(header), header);
    }
  }
  const answer = await send([eventItem(newEventId())]);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("access-control-expose-headers"), "Retry-After, X-Sentry-Rate-Limits");
});

test("rate limits, suspension, a disabled app and a full disk are checked in this order, before the body is read", async () => {
  await using busy = await startDoor({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "3",
    LODGE_DISK_RESERVE: `${1e15}`,
  });
  const path = `/api/${busy.dsn.split("/").at(-1)}/store/?sentry_key=${busy.key}`;
  const codeOf = async () => (await busy.request("POST", path, { body: "no JSON" })).body.error;
  assert.equal(await codeOf(), "unavailable");
  await busy.deps.db.updateTable("apps").set({ enabled: false }).execute();
  assert.equal(await codeOf(), "app_disabled");
  await busy.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
  );
  assert.equal(await codeOf(), "org_suspended");
  const limited = await busy.request("POST", path, { body: "no JSON" });
  assert.equal(limited.body.error, "rate_limit_exceeded");
  assert.match(limited.headers.get("x-sentry-rate-limits") ?? "", /^\d+::key$/);
});

test("a br or zstd body whose key is only inside is refused above 256 KiB", async () => {
  const text = randomBytes(300_000).toString("base64");
  for (const [encoding, encode] of [
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const) {
    const bytesOf = (id: string, extra: string) =>
      encode(
        sentryEnvelope({ event_id: id, dsn: door.dsn }, [[{ type: "event" }, { event_id: id, extra: { extra } }]]),
      );
    const headers = { "content-encoding": encoding };
    const id = newEventId();
    const small = await post(bytesOf(id, "x"), headers);
    assert.deepEqual([small.status, small.body], [200, { id }], encoding);
    const large = bytesOf(newEventId(), text);
    await assertRefused(post(large, headers), 413, "payload_too_large");
    assert.equal((await post(large, { ...headers, ...auth })).status, 200, "accepted if the app is known beforehand");
  }
});
