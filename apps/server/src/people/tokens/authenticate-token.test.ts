import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";
import { makeTokenSecret } from "./token-secret.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

const tokenNamed = (organisationId: string, name: string) =>
  lodge.deps.db
    .selectFrom("tokens")
    .selectAll()
    .where("organisation_id", "=", organisationId)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
const revoke = (organisationId: string, name: string) =>
  lodge.deps.db
    .updateTable("tokens")
    .set({ revoked_at: new Date() })
    .where("organisation_id", "=", organisationId)
    .where("name", "=", name)
    .execute();

test("missing, malformed, unknown and revoked tokens get the same response, byte for byte", async () => {
  const acme = await makeOrganisation(lodge);
  const { web, mobile, all } = acme.tokens;
  await revoke(acme.id, "All CI");
  const mistyped = `${web.slice(0, -1)}${web.endsWith("A") ? "B" : "A"}`;
  const causes: [string, Record<string, string>][] = [
    ["missing", {}],
    ["empty", { authorization: "" }],
    ["without a value", { authorization: "Bearer" }],
    ["another scheme", { authorization: `Basic ${web}` }],
    ["without a scheme", { authorization: web }],
    ["malformed", { authorization: "Bearer nonsense" }],
    ["a wrong checksum", { authorization: `Bearer ${mistyped}` }],
    ["truncated", { authorization: `Bearer ${web.slice(0, -1)}` }],
    ["with a trailing character", { authorization: `Bearer ${web}0` }],
    ["two tokens", { authorization: `Bearer ${web}, Bearer ${mobile}` }],
    ["in another letter case", { authorization: `Bearer ${web.toUpperCase()}` }],
    ["of another kind", { authorization: `Bearer ldgpub_${web.slice(4)}` }],
    ["unknown", { authorization: `Bearer ${makeTokenSecret()}` }],
    ["revoked", { authorization: `Bearer ${all}` }],
    ["in a cookie", { cookie: `token=${web}` }],
  ];
  const bodies = new Set<string>();
  for (const [cause, headers] of causes) {
    const refused = await lodge.request("POST", "/api/v1/tickets", { body: { title: "t" }, headers });
    assert.deepEqual([refused.status, refused.body.error], [401, "invalid_api_token"], cause);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer", cause);
    bodies.add(refused.text);
  }
  assert.equal(bodies.size, 1);
});

test("a token in the query string is ignored", async () => {
  const acme = await makeOrganisation(lodge);
  const refused = await lodge.request("POST", `/api/v1/tickets?access_token=${acme.tokens.web}`, {
    body: { title: "t" },
  });
  assert.equal(refused.status, 401);
});

test("the scheme is accepted in any letter case", async () => {
  const acme = await makeOrganisation(lodge);
  for (const scheme of ["bearer", "BEARER"]) {
    const headers = { authorization: `${scheme} ${acme.tokens.web}` };
    assert.equal((await lodge.request("POST", "/api/v1/tickets", { body: { title: "t" }, headers })).status, 201);
  }
});

test("a token without tickets:write is told which permission it lacks, whatever it sends", async () => {
  const acme = await makeOrganisation(lodge);
  for (const body of [
    { title: "t", projectId: acme.web.id },
    { title: "" },
    "{",
    "",
    { title: "t", boardId: acme.id },
  ]) {
    const refused = await lodge.fileTicket(acme.tokens.powerless, body);
    assert.deepEqual([refused.status, refused.body.error], [403, "insufficient_scope"]);
    assert.equal(refused.body.required, "tickets:write");
  }
});

test("a revoked token is refused at the next request, on every server", async () => {
  await using other = await startService(lodge.env);
  const acme = await makeOrganisation(lodge);
  const statusOn = async (server: typeof lodge) => (await server.fileTicket(acme.tokens.web, { title: "t" })).status;
  assert.deepEqual([await statusOn(lodge), await statusOn(other)], [201, 201]);
  await revoke(acme.id, "Web CI");
  assert.deepEqual([await statusOn(lodge), await statusOn(other)], [401, 401]);
});

test("a changed scope or permission applies from the next request", async () => {
  const acme = await makeOrganisation(lodge);
  const rescope = (scope: "all" | string[], permissions: "tickets:write"[]) =>
    lodge.apply({
      organisation: { name: "Acme", slug: acme.slug },
      tokens: [{ name: "Web CI", scope, permissions }],
    });
  const answer = async () => {
    const { status, body } = await lodge.fileTicket(acme.tokens.web, { title: "t" });
    return status === 201 ? body.projectId : body.error;
  };
  assert.equal(await answer(), acme.web.id);
  await rescope(["mobile"], ["tickets:write"]);
  assert.equal(await answer(), acme.mobile.id);
  await rescope("all", ["tickets:write"]);
  assert.equal(await answer(), "project_required");
  await rescope([], ["tickets:write"]);
  assert.equal(await answer(), "project_not_found");
  await rescope(["web"], []);
  assert.equal(await answer(), "insufficient_scope");
});

test("only a hash and the first characters of a token are stored", async () => {
  const acme = await makeOrganisation(lodge);
  const token = await tokenNamed(acme.id, "Web CI");
  assert.equal(token.secret_sha256.length, 32);
  assert.equal(token.prefix, acme.tokens.web.slice(0, 8));
  assert.ok(!JSON.stringify(token).includes(acme.tokens.web.slice(8)));
});

test("a token records when it was last used, to the minute", async () => {
  let now = new Date("2026-05-01T12:00:00.000Z");
  await using moved = await startService(lodge.env, { clock: { now: () => now } });
  const acme = await makeOrganisation(lodge);
  assert.equal((await tokenNamed(acme.id, "Web CI")).last_used_at, null);
  for (const [at, seen] of [
    ["2026-05-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T12:00:59.000Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T12:01:00.001Z", "2026-05-01T12:01:00.001Z"],
  ] as const) {
    now = new Date(at);
    await moved.fileTicket(acme.tokens.web, { title: "t" });
    assert.equal((await tokenNamed(acme.id, "Web CI")).last_used_at?.toISOString(), seen);
  }
});
