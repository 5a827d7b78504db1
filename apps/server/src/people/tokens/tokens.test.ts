import assert from "node:assert/strict";
import { test } from "node:test";
import { type DashboardClient, signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";

type Made = { token: { id: string; prefix: string }; secret: string };
type Listed = { tokens: Record<string, unknown>[] };

const everywhere = { scope: "all", permissions: ["tickets:write"] };

async function make(client: DashboardClient, body: object): Promise<Made> {
  const answer = await client("POST", "/tokens", body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Made;
}

test("a token is created, shown once, and files tickets under its name", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const admin = await signedIn(lodge, "grace@acme.test");
  const { token, secret } = await make(admin, { name: "Nightly", ...everywhere });
  assert.match(secret, /^ldg_[0-9A-Za-z]{49}$/);
  assert.ok(secret.startsWith(token.prefix));

  const { tokens } = (await admin("GET", "/tokens")).body as Listed;
  assert.deepEqual(
    tokens.map(({ name }) => name),
    ["CI", "Nightly"],
  );
  assert.deepEqual(tokens[1], token);
  assert.deepEqual(tokens[0]?.scope, [acme.projects[0]?.id]);
  assert.equal(JSON.stringify(tokens).includes(secret), false);

  const filed = await lodge.fileTicket(secret, { title: "t", projectId: acme.projects[1]?.id });
  assert.equal(filed.status, 201, filed.text);
  const { body } = await admin("GET", `/tickets/${filed.body.id}`);
  assert.deepEqual(body.author, { kind: "token", id: token.id, name: "Nightly" });
  const after = (await admin("GET", "/tokens")).body as Listed;
  assert.ok(after.tokens[1]?.lastUsedAt);
});

test("a token can be renamed and re-scoped, and keeps its secret", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const [web = "", mobile = ""] = acme.projects.map(({ id }) => id);
  const { token, secret } = await make(ada, {
    name: "Nightly",
    scope: [web, web.toUpperCase()],
    permissions: ["tickets:write"],
  });
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: mobile })).status, 404);

  const renamed = await ada("PATCH", `/tokens/${token.id}`, { name: "Daily" });
  assert.deepEqual(renamed.body, { ...token, name: "Daily", lastUsedAt: renamed.body.lastUsedAt });
  await ada("PATCH", `/tokens/${token.id}`, { scope: [mobile] });
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: web })).status, 404);
  const filed = await lodge.fileTicket(secret, { title: "t" });
  assert.equal(filed.status, 201);
  const { body } = await ada("GET", `/tickets/${filed.body.id}`);
  assert.equal((body.author as { name: string }).name, "Daily");
  await ada("PATCH", `/tokens/${token.id}`, { scope: "all" });
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: web })).status, 201);
});

test("an admin cannot grant metrics:read, but can keep or remove it where an operator granted it", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const both = ["tickets:write", "metrics:read"];
  const message = "metrics:read can only be granted by the server's operator, with lodged token create";
  for (const refused of [
    await ada("POST", "/tokens", { name: "Prometheus", scope: "all", permissions: both }),
    await ada("PATCH", `/tokens/${acme.tokens[0]?.id}`, { permissions: both }),
  ]) {
    assert.deepEqual(
      [refused.status, refused.body.error, refused.body.details],
      [400, "invalid_input", [{ path: "/permissions/1", message }]],
    );
  }
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    tokens: [{ name: "Prometheus", scope: "all", permissions: ["tickets:write", "metrics:read"] }],
  });
  const [given] = tokens;
  const change = (body: object) => ada("PATCH", `/tokens/${given?.id}`, body);
  assert.deepEqual((await change({ name: "Grafana", permissions: both })).body.permissions, both);
  assert.deepEqual((await change({ permissions: ["metrics:read"] })).body.permissions, ["metrics:read"]);
  assert.equal((await lodge.fileTicket(given?.secret, { title: "t" })).status, 403);
  assert.equal((await change({ permissions: ["tickets:write"] })).status, 200);
  assert.equal((await change({ permissions: both })).status, 400, "a removed permission cannot be granted again");
});

test("a revoked token is refused from the next request, in every process", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  await using other = await startService(lodge.env);
  const ada = await signedIn(lodge, "ada@acme.test");
  const { token, secret } = await make(ada, { name: "Nightly", ...everywhere });
  const file = (service: typeof lodge) => service.fileTicket(secret, {});
  assert.equal((await file(other)).status, 400, "the token is accepted before it is revoked");
  assert.equal((await ada("DELETE", `/tokens/${token.id}`)).status, 204);
  for (const service of [other, lodge]) {
    const refused = await file(service);
    assert.deepEqual([refused.status, refused.body.error], [401, "invalid_api_token"]);
  }
  for (const again of [
    await ada("DELETE", `/tokens/${token.id}`),
    await ada("PATCH", `/tokens/${token.id}`, { name: "Again" }),
  ]) {
    assert.deepEqual([again.status, again.body.error], [404, "token_not_found"]);
  }
  const { tokens } = (await ada("GET", "/tokens")).body as Listed;
  assert.deepEqual(
    tokens.map(({ name }) => name),
    ["CI"],
  );
  await make(ada, { name: "Nightly", ...everywhere });
});

test("a token that was not used for 90 days is marked", async () => {
  let now = new Date();
  await using lodge = await startService({}, { clock: { now: () => now } });
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  await make(ada, { name: "Idle", ...everywhere });
  await lodge.deps.pool.query("update sessions set expires_at = expires_at + interval '1 year'");
  const marked = async () =>
    ((await ada("GET", "/tokens")).body as Listed).tokens.map(({ name, unusedFor90Days }) => [name, unusedFor90Days]);
  now = new Date(now.getTime() + 90 * 86_400_000 - 60_000);
  assert.deepEqual(await marked(), [
    ["CI", false],
    ["Idle", false],
  ]);
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  now = new Date(now.getTime() + 120_000);
  assert.deepEqual(await marked(), [
    ["CI", false],
    ["Idle", true],
  ]);
});

test("only owners and admins can manage tokens", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const path = `/tokens/${acme.tokens[0]?.id}`;
  for (const refused of [
    await mel("GET", "/tokens"),
    await mel("POST", "/tokens", { name: "Mine", ...everywhere }),
    await mel("POST", "/tokens", { nonsense: true }),
    await mel("PATCH", path, { name: "Mine" }),
    await mel("DELETE", path),
  ]) {
    assert.deepEqual([refused.status, refused.body.error], [403, "forbidden"]);
  }
});

test("invalid fields are refused by name", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const refusals: [object, string, string?][] = [
    [{ name: "x".repeat(81), ...everywhere }, "invalid_input", "/name"],
    [{ name: "", ...everywhere }, "invalid_input", "/name"],
    [{ ...everywhere }, "invalid_input", "/name"],
    [{ name: "x", ...everywhere, permissions: ["all"] }, "invalid_input", "/permissions/0"],
    [{ name: "x", ...everywhere, permissions: [] }, "invalid_input", "/permissions"],
    [{ name: "x", ...everywhere, secret: "mine" }, "invalid_input", "/secret"],
    [{ name: "CI", ...everywhere }, "token_name_taken"],
    [{ name: "x", ...everywhere, scope: [acme.organisation.id] }, "project_not_found"],
  ];
  for (const [body, error, path] of refusals) {
    const answer = await ada("POST", "/tokens", body);
    assert.equal(answer.body.error, error, answer.text);
    if (path) assert.equal((answer.body.details as { path: string }[])[0]?.path, path);
  }
  assert.equal((await ada("POST", "/tokens", { name: "😀".repeat(80), ...everywhere })).status, 201, "80 code points");
  const [ci] = acme.tokens;
  const { token } = await make(ada, { name: "Other", ...everywhere });
  assert.equal((await ada("PATCH", `/tokens/${token.id}`, { name: "CI" })).body.error, "token_name_taken");
  assert.equal((await ada("PATCH", `/tokens/${ci?.id}`, { name: "CI" })).status, 200, "a token can keep its own name");
  assert.equal((await ada("PATCH", `/tokens/${ci?.id}`, {})).body.error, "invalid_input");
});

test("of twelve concurrent requests for a token of the same name, one succeeds", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => ada("POST", "/tokens", { name: "Same", ...everywhere })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.ok(answers.every(({ status, body }) => status === 201 || body.error === "token_name_taken"));
});
