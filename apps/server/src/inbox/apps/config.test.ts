import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { type Client, startService } from "../../testing/start-service.ts";

let door: Door;
beforeEach(async () => {
  door = await startDoor({ LODGE_INGEST_REQUEST_BYTES: "2000000", LODGE_INGEST_ATTACHMENT_BYTES: "1000000" });
});
afterEach(() => door[Symbol.asyncDispose]());

const config = (headers: Record<string, string> = {}, query = "") =>
  door.request("GET", `/api/config${query}`, { headers: { authorization: `Bearer ${door.key}`, ...headers } });

test("the configuration tells an SDK what it needs before it sends", async () => {
  const { status, headers, body } = await config();
  assert.equal(status, 200);
  assert.deepEqual(body, {
    appId: door.appId,
    enabled: true,
    replies: { enabled: false },
    limits: { requestBytes: 2_000_000, envelopeBytes: 5_000_000, attachmentBytes: 1_000_000, attachments: 5 },
    kinds: ["bug", "crash", "feedback", "question", "other"],
    settings: {},
  });
  assert.equal(headers.get("cache-control"), "private, max-age=60");
  assert.match(headers.get("etag") ?? "", /^"[^"]+"$/);
});

test("the configuration includes the app's settings, and its ETag changes with them", async () => {
  const before = await config();
  const settings = { sampleRate: 0.5, nested: { ü: [null] } };
  await door.deps.db
    .updateTable("apps")
    .set({ settings: JSON.stringify(settings), enabled: false, replies: true })
    .execute();
  const after = await config({ "if-none-match": before.headers.get("etag") ?? "" });
  assert.equal(after.status, 200);
  assert.deepEqual([after.body.settings, after.body.enabled, after.body.replies], [settings, false, { enabled: true }]);
  assert.notEqual(after.headers.get("etag"), before.headers.get("etag"));
});

test("If-None-Match gets a 304 without a body", async () => {
  const etag = (await config()).headers.get("etag") ?? "";
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const { status, text, headers } = await config({ "if-none-match": known });
    assert.deepEqual([status, text, headers.get("etag")], [304, "", etag], known);
    assert.equal(headers.get("cache-control"), "private, max-age=60");
    assert.equal(headers.get("access-control-allow-origin"), "*");
  }
  for (const other of ['"other"', etag.replaceAll('"', "")]) {
    assert.equal((await config({ "if-none-match": other })).status, 200, other);
  }
});

test("a missing, unknown or revoked key is refused", async () => {
  for (const authorization of ["", "Bearer nobody", "Bearer ldgpub_000000000000000000000000000"]) {
    const { status, body } = await config({ authorization });
    assert.deepEqual([status, body.error], [401, "invalid_sdk_key"]);
    assert.equal((await config({ authorization }, "?installId=")).status, 401, "the key is checked before the query");
  }
  await door.deps.db.updateTable("sdk_keys").set({ revoked_at: new Date() }).execute();
  const etag = '"any"';
  for (const headers of [{}, { "if-none-match": "*" }, { "if-none-match": etag }]) {
    assert.equal((await config(headers)).status, 401);
  }
});

test("a suspension does not affect the configuration", async () => {
  await door.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
  );
  assert.equal((await config()).status, 200);
});

test("installId must be a string of 1 to 100 characters", async () => {
  for (const query of ["?installId=a", `?installId=${"%F0%9F%98%80".repeat(100)}`, "?other=1"]) {
    assert.equal((await config({}, query)).status, 200, query);
  }
  for (const query of ["?installId=", `?installId=${"a".repeat(101)}`, "?installId=a&installId=b"]) {
    const { status, body } = await config({}, query);
    assert.deepEqual([status, body.error], [400, "invalid_input"], query);
  }
});

test("installs are counted up to a rate limit for each key and address, and requests above it get the same answer", async () => {
  const rated = { LODGE_TRUSTED_PROXIES: "127.0.0.0/8", LODGE_CONFIG_RATE_PER_MINUTE: "5" };
  await using first = await startDoor(rated);
  await using second = await startService({ ...first.env, ...rated });
  const ask = (lodge: Client, installId: string, address: string) =>
    lodge.request("GET", `/api/config?installId=${installId}`, {
      headers: { authorization: `Bearer ${first.key}`, "x-forwarded-for": address },
    });
  const counted = async () => {
    const { rows } = await first.deps.pool.query("select count(*) from active_installs");
    return Number(rows[0]?.count);
  };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => ask(n % 2 ? first : second, `invented-${n}`, `2001:db8:1:2::${n}`)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text, headers }) => `${headers.get("etag")} ${text}`)).size, 1);
  assert.equal(await counted(), 5);
  await ask(first, "somebody else", "2001:db8:1:3::1");
  assert.equal(await counted(), 6);
});
