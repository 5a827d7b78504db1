import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { operations } from "@lodge/contract/operations";
import { begin } from "../../testing/begin.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

const get = (secret: string, path: string, server = lodge) =>
  server.request("GET", path, { headers: { authorization: `Bearer ${secret}` } });

/** The operations with which a token reads, and the permission that each needs; null for none. */
const reads = operations
  .map(({ operation }) => operation)
  .filter(({ door, method, credential }) => door === "api" && method === "GET" && credential?.kind === "apiToken")
  .map(({ path, credential }) => ({
    path: path.replace(/\{\w+\}/, randomUUID()),
    permission: credential?.kind === "apiToken" ? credential.permission : undefined,
  }));

test("reads are checked in the same order as filing: token, rate limit, permission", async () => {
  assert.ok(reads.length >= 3, "the contract lists the operations");
  await using limited = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "2" });
  for (const { path, permission } of reads) {
    const acme = await makeOrganisation(limited);
    const unknown = await limited.request("GET", path);
    assert.deepEqual([unknown.status, unknown.body.error], [401, "invalid_api_token"], path);
    assert.equal(unknown.headers.get("www-authenticate"), "Bearer", path);
    const { powerless } = acme.tokens;
    for (let asked = 0; asked < 2; asked++) {
      const { status, body } = await get(powerless, path, limited);
      if (permission === null) assert.equal(status, 200, path);
      else assert.deepEqual([status, body.error, body.required], [403, "insufficient_scope", permission], path);
    }
    const often = await get(powerless, path, limited);
    assert.deepEqual([often.status, often.body.error], [429, "rate_limit_exceeded"], path);
    assert.match(often.headers.get("retry-after") ?? "", /^\d+$/, path);
    const filed = await limited.fileTicket(powerless, { title: "t" });
    assert.equal(filed.status, 429, "reading and filing share one rate limit");
  }
});

test("a token can list what it has access to, in order, and nothing else", async () => {
  const acme = await makeOrganisation(lodge);
  await makeOrganisation(lodge);
  const { status, body } = await get(acme.tokens.reader, "/api/v1/projects");
  assert.equal(status, 200);
  const { web } = acme;
  assert.deepEqual(body, {
    projects: [
      {
        id: web.id,
        name: "Web",
        slug: "web",
        boards: [
          {
            id: web.inbox.id,
            name: "Inbox",
            columns: [
              { id: web.inbox.backlogId, name: "Backlog" },
              { id: web.inbox.doingId, name: "Doing" },
            ],
          },
          {
            id: web.later.id,
            name: "Later",
            columns: [
              { id: web.later.ideasId, name: "Ideas" },
              { id: web.later.chosenId, name: "Chosen" },
            ],
          },
        ],
        repositories: [{ id: web.repositoryId, name: "web" }],
      },
    ],
    members: [
      { id: acme.memberUserId, name: "Ada", kind: "person" },
      { id: acme.agentUserId, name: "Agent", kind: "agent" },
    ],
  });
});

test("a token with access to all projects lists its organisation's, and one without access lists none", async () => {
  const acme = await makeOrganisation(lodge);
  await makeOrganisation(lodge);
  const rescope = (scope: "all" | string[]) =>
    lodge.apply({
      organisation: { name: "Acme", slug: acme.slug },
      tokens: [{ name: "Web reader", scope, permissions: ["projects:read"] }],
    });
  const reached = async () => {
    const { body } = await get(acme.tokens.reader, "/api/v1/projects");
    return (body as { projects: { id: string }[] }).projects.map(({ id }) => id);
  };
  await rescope("all");
  assert.deepEqual(await reached(), [acme.web.id, acme.mobile.id]);
  await rescope([]);
  assert.deepEqual(await reached(), []);
});

test("a token that is revoked while it describes itself gets the refusal of a revoked token", async () => {
  await using patient = await makePatientDatabase();
  await using held = await startService(patient.env, patient.overrides);
  const acme = await makeOrganisation(held);
  const other = await held.deps.pool.connect();
  await other.query(begin);
  await other.query("lock table token_projects in access exclusive mode"); // read after the token is authenticated
  const asked = get(acme.tokens.web, "/api/v1/token", held);
  await untilWaiting(held.deps.pool);
  await other.query("update tokens set revoked_at = now() where name = 'Web CI'");
  await other.query("commit");
  other.release();
  const { status, body, headers } = await asked;
  assert.deepEqual([status, body.error], [401, "invalid_api_token"]);
  assert.equal(headers.get("www-authenticate"), "Bearer");
});

test("a ticket is shown in its current state to tokens with access", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, {
    title: "Nightly build is red",
    description: "Since Monday.",
    priority: "high",
    assigneeUserId: acme.agentUserId,
    startsAt: "2026-05-01",
    dueAt: "2026-05-08",
  });
  const { status, body } = await get(acme.tokens.reader, `/api/v1/tickets/${filed.body.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id: filed.body.id,
    title: "Nightly build is red",
    projectId: acme.web.id,
    boardId: acme.web.inbox.id,
    columnId: acme.web.inbox.backlogId,
    description: "Since Monday.",
    priority: "high",
    assigneeUserId: acme.agentUserId,
    project: { id: acme.web.id, name: "Web" },
    board: { id: acme.web.inbox.id, name: "Inbox" },
    column: { id: acme.web.inbox.backlogId, name: "Backlog", isDone: false },
    author: { kind: "token", name: "Web CI" },
    assignee: { id: acme.agentUserId, name: "Agent", kind: "agent" },
    agentRepositoryId: null,
    startsAt: "2026-05-01",
    dueAt: "2026-05-08",
    run: {
      state: "queued",
      heldReason: null,
      reason: null,
      branch: null,
      pullRequestUrl: null,
      pullRequestError: null,
      createdAt: (body.run as { createdAt: string }).createdAt,
      endedAt: null,
    },
    number: "WEB-1",
    labels: [],
    problem: null,
    occurrences: 1,
    lastOccurredAt: null,
    previousId: null,
    doneAt: null,
    archivedAt: null,
    commentCount: 0,
    createdAt: filed.body.createdAt,
    updatedAt: body.updatedAt,
    url: filed.body.url,
  });
  for (const reference of ["WEB-1", "web-1", `${filed.body.id}`.toUpperCase()]) {
    const { text, headers } = await get(acme.tokens.reader, `/api/v1/tickets/${reference}`);
    assert.deepEqual(JSON.parse(text), body, reference);
    assert.match(headers.get("etag") ?? "", /^"[\w-]+"$/);
  }
});

test("a ticket without access gets the same bytes as an unknown id or an invalid one", async () => {
  const acme = await makeOrganisation(lodge);
  const umbra = await makeOrganisation(lodge);
  const hidden = await lodge.fileTicket(acme.tokens.mobile, { title: "t" });
  const foreign = await lodge.fileTicket(umbra.tokens.web, { title: "t" });
  const missing = await get(acme.tokens.reader, `/api/v1/tickets/${randomUUID()}`);
  assert.deepEqual([missing.status, missing.body.error], [404, "ticket_not_found"]);
  for (const id of [
    hidden.body.id,
    foreign.body.id,
    "not-an-id",
    "MOBILE-1",
    "WEB-999",
    "a-0",
    `WEB-${"9".repeat(200)}`,
  ]) {
    const refused = await get(acme.tokens.reader, `/api/v1/tickets/${id}`);
    assert.deepEqual([refused.status, refused.text], [404, missing.text], `${id}`);
  }
});

test("any token can describe itself, whatever its permissions", async () => {
  const acme = await makeOrganisation(lodge);
  const own = async (secret: string) => {
    const { status, body, text } = await get(secret, "/api/v1/token");
    assert.equal(status, 200);
    assert.ok(!text.includes(secret.slice(8)));
    assert.match(String(body.createdAt), /Z$/);
    return [body.name, body.scope, body.permissions];
  };
  assert.deepEqual(await own(acme.tokens.web), ["Web CI", [acme.web.id], ["tickets:write"]]);
  assert.deepEqual(await own(acme.tokens.powerless), ["Powerless CI", "all", []]);
  const { body } = await get(acme.tokens.web, "/api/v1/token");
  assert.ok(body.lastUsedAt, "the request itself counts as a use");
});
