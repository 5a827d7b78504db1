import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

const withKey = (key: string) => ({ "idempotency-key": key });
const ticketCountOf = async (organisationId: string) =>
  (await lodge.deps.db.selectFrom("tickets").select("id").where("organisation_id", "=", organisationId).execute())
    .length;

test("a reused key returns the first response byte for byte, and files nothing", async () => {
  const acme = await makeOrganisation(lodge);
  const body = { title: 'Ünï "code" \\ 😀 \u2028', description: "d" };
  const filed = await lodge.fileTicket(acme.tokens.web, body, withKey("build-1"));
  const replayed = await lodge.fileTicket(acme.tokens.web, body, withKey("build-1"));
  assert.equal(filed.status, 201);
  assert.equal(filed.headers.get("idempotency-replayed"), null);
  assert.equal(replayed.status, 201);
  assert.equal(replayed.text, filed.text);
  assert.equal(replayed.headers.get("content-type"), filed.headers.get("content-type"));
  assert.equal(replayed.headers.get("idempotency-replayed"), "true");
  assert.equal(await ticketCountOf(acme.id), 1);
});

test("a replay ignores the new body, but says whether it differs", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  const bodies: [string, unknown, Record<string, string>?][] = [
    ["another title", { title: "another" }],
    ["the same ticket in other bytes", '{ "title": "t" }'],
    ["an unknown field", { title: "t", colour: "red" }],
    ["an array", []],
    ["empty", ""],
    ["no body", undefined],
    ["not JSON", "{"],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), { "content-type": "application/json" }],
    ["not declared as JSON", "title=t", { "content-type": "text/plain" }],
    ["declared as compressed", { title: "t" }, { "content-encoding": "br" }],
    ["above 1 MiB", JSON.stringify({ title: "t", description: "x".repeat(1_100_000) })],
    ["a project that the token does not reach", { title: "t", projectId: acme.mobile.id }],
  ];
  for (const [name, body, headers] of bodies) {
    const replayed = await lodge.fileTicket(acme.tokens.web, body, { ...withKey("k"), ...headers });
    assert.equal(replayed.status, 201, name);
    assert.equal(replayed.text, filed.text, name);
    const marked = name === "declared as compressed" ? "true" : "mismatch";
    assert.equal(replayed.headers.get("idempotency-replayed"), marked, name);
  }
  assert.equal(await ticketCountOf(acme.id), 1);
});

test("the first request with a key needs a valid body", async () => {
  const acme = await makeOrganisation(lodge);
  const refused = await lodge.fileTicket(acme.tokens.web, { title: "" }, withKey("new"));
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_input"]);
});

test("a failed request does not use up its key", async () => {
  const acme = await makeOrganisation(lodge);
  for (const [code, body] of [
    ["invalid_input", "{"],
    ["project_not_found", { title: "t", projectId: acme.mobile.id }],
    ["column_not_found", { title: "t", columnId: acme.web.later.ideasId }],
    ["not_a_member", { title: "t", assigneeUserId: acme.web.id }],
  ] as const) {
    assert.equal((await lodge.fileTicket(acme.tokens.web, body, withKey("k"))).body.error, code);
  }
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  assert.equal(filed.status, 201);
  assert.equal(filed.headers.get("idempotency-replayed"), null);
});

test("keys of different tokens are independent", async () => {
  const acme = await makeOrganisation(lodge);
  const body = { title: "t", projectId: acme.web.id };
  const one = await lodge.fileTicket(acme.tokens.web, body, withKey("k"));
  const other = await lodge.fileTicket(acme.tokens.all, body, withKey("k"));
  assert.equal(other.status, 201);
  assert.equal(other.headers.get("idempotency-replayed"), null);
  assert.notEqual(one.body.id, other.body.id);
});

test("keys are compared as raw characters: quotes, letter case and Latin-1 characters count", async () => {
  const acme = await makeOrganisation(lodge);
  const ids = new Set();
  for (const key of ["k", "K", '"k"', "k, k", "k k", "é", "é".repeat(255)]) {
    const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey(key));
    assert.equal(filed.status, 201, key);
    assert.equal((await lodge.fileTicket(acme.tokens.web, "", withKey(key))).body.id, filed.body.id, key);
    ids.add(filed.body.id);
  }
  assert.equal(ids.size, 7);
});

test("a key has 1 to 255 characters", async () => {
  const acme = await makeOrganisation(lodge);
  const statusOf = async (key: string) =>
    (await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey(key))).status;
  assert.equal(await statusOf("k"), 201);
  assert.equal(await statusOf("k".repeat(255)), 201);
  for (const key of ["", " ", "k".repeat(256), "é".repeat(256)]) {
    const refused = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey(key));
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_idempotency_key"]);
  }
});

test("the permission is checked before the key, and the key before the body", async () => {
  const acme = await makeOrganisation(lodge);
  assert.equal((await lodge.fileTicket(acme.tokens.powerless, "{", withKey(""))).body.error, "insufficient_scope");
  assert.equal((await lodge.fileTicket(acme.tokens.web, "{", withKey(""))).body.error, "invalid_idempotency_key");
  assert.equal((await lodge.fileTicket(undefined, "{", withKey(""))).body.error, "invalid_api_token");
});

test("a token that lost its access cannot replay a key", async () => {
  const acme = await makeOrganisation(lodge);
  await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  const token = lodge.deps.db.updateTable("tokens").where("organisation_id", "=", acme.id).where("name", "=", "Web CI");
  await token.set({ permissions: [] }).execute();
  assert.equal((await lodge.fileTicket(acme.tokens.web, "", withKey("k"))).body.error, "insufficient_scope");
  await token.set({ revoked_at: new Date() }).execute();
  assert.equal((await lodge.fileTicket(acme.tokens.web, "", withKey("k"))).body.error, "invalid_api_token");
});

test("a key replays even after its ticket, its column or the token's access to the project is gone", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  await lodge.deps.db.deleteFrom("projects").where("organisation_id", "=", acme.id).execute();
  const replayed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  assert.equal(replayed.text, filed.text);
  assert.equal((await lodge.fileTicket(acme.tokens.web, { title: "t" })).body.error, "project_not_found");
});

test("every server on the same database knows a key", async () => {
  await using other = await startService(lodge.env);
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  const replayed = await other.fileTicket(acme.tokens.web, { title: "t" }, withKey("k"));
  assert.equal(replayed.headers.get("idempotency-replayed"), "true");
  assert.equal(replayed.text, filed.text);
});

test("twelve concurrent requests with one key on two servers file one ticket with one run", async () => {
  await using other = await startService(lodge.env);
  const acme = await makeOrganisation(lodge, { credits: 5 });
  const body = { title: "t", assigneeUserId: acme.agentUserId };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? lodge : other).fileTicket(acme.tokens.web, body, withKey("k")),
    ),
  );
  for (const { status, text } of answers) {
    assert.equal(status, 201);
    assert.equal(text, answers[0]?.text);
  }
  const marks = answers.map(({ headers }) => headers.get("idempotency-replayed"));
  assert.equal(marks.filter((mark) => mark === null).length, 1);
  assert.equal(marks.filter((mark) => mark === "true").length, 11);
  assert.equal(await ticketCountOf(acme.id), 1);
  const { db } = lodge.deps;
  const runs = await db.selectFrom("agent_runs").select("id").where("organisation_id", "=", acme.id).execute();
  assert.equal(runs.length, 1);
});

test("of twelve concurrent requests with one key and different bodies, one files a ticket and the others are answered with `mismatch`", async () => {
  const acme = await makeOrganisation(lodge);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => lodge.fileTicket(acme.tokens.web, { title: `${index}` }, withKey("k"))),
  );
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  const marks = answers.map(({ headers }) => headers.get("idempotency-replayed"));
  assert.equal(marks.filter((mark) => mark === "mismatch").length, 11);
  assert.equal(await ticketCountOf(acme.id), 1);
});
