import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { declare, encodeForm, envelopePart } from "../../testing/encode-form.ts";
import { ingestHead, openConnection } from "../../testing/open-connection.ts";
import { assertNothingKept, type Door, startDoor } from "../../testing/start-door.ts";

let door: Door;
const clock = { at: new Date("2026-05-31T23:59:30Z"), now: () => clock.at };
beforeEach(async () => {
  clock.at = new Date("2026-05-31T23:59:30Z");
  door = await startDoor({}, { clock });
});
afterEach(() => door[Symbol.asyncDispose]());

const report = (reportId: string) => [envelopePart({ reportId })];
const suspend = async (since: string | null) => {
  await door.deps.db.deleteFrom("suspensions").execute();
  if (since === null) return;
  await door.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, $1, '9999-01-01' from organisations",
    [since],
  );
};

test("every cause of invalid_sdk_key has the same answer", async () => {
  const other = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
    apps: [{ name: "Web", slug: "web", keys: ["revoked"] }],
  });
  const revoked = other.apps[0]?.keys[0]?.key;
  await door.deps.db.updateTable("sdk_keys").set({ revoked_at: clock.at }).where("name", "=", "revoked").execute();
  const answers: unknown[][] = [];
  for (const authorization of [
    "",
    "Bearer",
    "Bearer ",
    "Bearer nobody",
    "Bearer ldgpub_000000000000000000000000000",
    `Bearer ${door.key}x`,
    `Bearer ${door.key} ${door.key}`,
    `Bearer ${door.key.toLowerCase()}`,
    `Bearer ${revoked}`,
    `Bearer ${other.tokens[0]?.secret}`,
    `Basic ${door.key}`,
    door.key,
    "Bearer \u00e9",
  ]) {
    const { status, text, headers: answered } = await door.submit(report("r"), {}, { authorization });
    answers.push([status, text, answered.get("www-authenticate")]);
  }
  const nobody = await door.request("POST", "/api/ingest", { body: encodeForm(report("r")) });
  answers.push([nobody.status, nobody.text, nobody.headers.get("www-authenticate")]);
  assert.deepEqual(
    answers,
    Array.from(answers, () => answers[0]),
  );
  assert.deepEqual([answers[0]?.[0], JSON.parse(String(answers[0]?.[1])).error], [401, "invalid_sdk_key"]);
  assert.equal((await door.submit(report("r"), {}, { authorization: `bEARER  ${door.key}` })).status, 200);
});

test("a revoked key is refused at the next request, and the app's other keys still work", async () => {
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default", "second"] }],
  });
  await door.deps.db.updateTable("sdk_keys").set({ revoked_at: clock.at }).where("name", "=", "default").execute();
  assert.equal((await door.submit(report("r"))).status, 401);
  const second = { authorization: `Bearer ${apps[0]?.keys[1]?.key}` };
  assert.equal((await door.submit(report("r"), {}, second)).status, 200);
});

test("a suspended organisation is refused before its body is read and before de-duplication", async () => {
  assert.equal((await door.submit(report("known"))).status, 200);
  await suspend("2026-05-01");
  const refusal = { error: "org_suspended", reason: "over_allowance", since: "2026-05-01" };
  for (const parts of [report("new"), report("known"), [], [{ name: "envelope", body: "{" }]]) {
    const { status, body } = await door.submit(parts);
    const { message, docs, ...rest } = body;
    assert.deepEqual([status, rest], [403, refusal]);
    assert.ok(`${docs}`.endsWith("#org_suspended"));
    assert.equal(typeof message, "string");
  }
  await using connection = await openConnection(door.url);
  await connection.send(ingestHead([...door.lines, "Content-Length: 1000"]));
  assert.equal((await connection.answer())?.body.error, "org_suspended", "refused before any of the body is sent");
  assert.equal((await door.submit(report("new"), {}, { authorization: "Bearer nobody" })).status, 401);
  assert.deepEqual(await door.reportIds(), ["known"]);
  await suspend(null);
  assert.equal((await door.submit(report("new"))).status, 200);
});

test("refusals are counted by app, key, code and day, without content; successes and unknown keys are not counted", async () => {
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [
      { name: "Web", slug: "web", keys: ["default", "second"] },
      { name: "iOS", slug: "ios", keys: ["default"] },
    ],
  });
  const [web, ios] = apps;
  const as = (key = "") => ({ authorization: `Bearer ${key}` });
  const broken = [{ name: "envelope", body: "{" }];
  await Promise.all(Array.from({ length: 20 }, () => door.submit(broken)));
  await door.submit([]);
  await door.submit(broken, {}, as(web?.keys[1]?.key));
  await door.submit(broken, {}, as(ios?.keys[0]?.key));
  await door.submit(broken, {}, as("nobody"));
  await door.submit(report("r"));
  await door.submit(report("r"));
  clock.at = new Date("2026-06-01T00:00:00Z");
  await door.submit(broken);
  await suspend("2026-05-01");
  await door.submit(broken);

  await door.refusals(25);
  const { rows } = await door.deps.pool.query(
    "select app_id, sdk_key_id, code, day, count from refusals order by app_id, day, sdk_key_id, code",
  );
  const [first, second] = web?.keys ?? [];
  const expected = [
    [web?.id, first?.id, "envelope_invalid_json", "2026-05-31", 20],
    [web?.id, first?.id, "no_parts", "2026-05-31", 1],
    [web?.id, second?.id, "envelope_invalid_json", "2026-05-31", 1],
    [web?.id, first?.id, "envelope_invalid_json", "2026-06-01", 1],
    [web?.id, first?.id, "org_suspended", "2026-06-01", 1],
    [ios?.id, ios?.keys[0]?.id, "envelope_invalid_json", "2026-05-31", 1],
  ];
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    expected,
  );
});

test("every error code that a body can cause is counted under its own name", async () => {
  const attachments = [declare("a", "bytes")];
  const declaring = envelopePart({ reportId: "r", attachments });
  const provoked = {
    schema_validation_failed: [envelopePart({ reportID: "r" })],
    envelope_too_large: [{ name: "envelope", body: " ".repeat(5_000_001) }],
    attachment_missing: [declaring],
    attachment_unexpected: [envelopePart({ reportId: "r" }), { name: "a", body: "bytes" }],
    envelope_part_missing: [{ name: "a", body: "bytes" }],
    envelope_invalid_json: [{ name: "envelope", body: "" }],
    no_parts: [],
    sha256_mismatch: [{ ...declaring, headers: ["Content-Digest: sha-256=:AAAA:"] }],
    bytelength_mismatch: [declaring, { name: "a", body: "byte" }],
    attachment_sha256_mismatch: [declaring, { name: "a", body: "octet" }],
    payload_too_large: [envelopePart({ reportId: "r" }), { name: "a", body: Buffer.alloc(26_000_000) }],
    attachment_too_large: [
      envelopePart({ reportId: "r", attachments: [{ ...declare("a", ""), byteLength: 26_214_401 }] }),
      { name: "a", body: Buffer.alloc(26_214_401) },
    ],
  };
  for (const [error, parts] of Object.entries(provoked)) {
    const answer = await door.submit(parts);
    assert.deepEqual(
      [answer.status, answer.body.error],
      [error.endsWith("d_too_large") || error === "attachment_too_large" ? 413 : 400, error],
    );
  }
  assert.deepEqual(
    await door.refusals(Object.keys(provoked).length),
    Object.fromEntries(
      Object.keys(provoked)
        .sort()
        .map((code) => [code, 1]),
    ),
  );
  await assertNothingKept(door);
});

test("an internal error is a masked 500 that keeps nothing, and the next report is accepted", async () => {
  const attachments = [declare("a", "bytes")];
  const parts = [envelopePart({ reportId: "r", attachments }), { name: "a", body: "bytes" }];
  await door.deps.pool.query("alter table events rename to elsewhere");
  const { status, body } = await door.submit(parts);
  assert.deepEqual([status, body.error], [500, "internal_error"]);
  assert.equal(typeof body.requestId, "string");
  assert.ok(!JSON.stringify(body).includes("elsewhere"));
  await door.deps.pool.query("alter table elsewhere rename to events");
  await assertNothingKept(door);
  assert.equal((await door.submit(parts)).body.idempotent, false);
});

test("files are stored first, and are removed if the event cannot be stored", async () => {
  const attachments = ["a", "b"].map((name) => declare(name, "bytes"));
  const files = attachments.map(({ partName }) => ({ name: partName, body: "bytes" }));
  const parts = (reportId: string) => [envelopePart({ reportId, attachments }), ...files];
  await door.deps.pool.query(
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'disk_full', message = 'no space left on device'; end $$;
    create trigger refuse before insert on events execute function refuse()`,
  );
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => door.submit(parts(`${index}`))));
  for (const { status } of answers) assert.ok(status >= 500);
  await assertNothingKept(door);
  await door.deps.pool.query("drop trigger refuse on events");
  for (let index = 0; index < 20; index += 1) assert.equal((await door.submit(parts(`${index}`))).status, 200);
});

test("methods other than POST get 405 method_not_allowed", async () => {
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const { status, headers, body } = await door.request(method, "/api/ingest");
    assert.deepEqual([status, body.error, headers.get("allow")], [405, "method_not_allowed", "POST"]);
  }
});
