import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { compileCheck } from "@lodge/contract/problems";
import { FiledTicket } from "@lodge/contract/tickets";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

const nil = "00000000-0000-0000-0000-000000000000";
const storedTicket = (id: unknown) =>
  lodge.deps.db
    .selectFrom("tickets")
    .selectAll()
    .where("id", "=", id as string)
    .executeTakeFirstOrThrow();
const countTickets = async (organisationId: string) =>
  (await lodge.deps.db.selectFrom("tickets").select("id").where("organisation_id", "=", organisationId).execute())
    .length;

test("a ticket with only a title goes to the leftmost column of the first board of the token's only project", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "Nightly build is red" });
  assert.equal(filed.status, 201);
  assert.equal(filed.body.title, "Nightly build is red");
  assert.equal(filed.body.projectId, acme.web.id);
  assert.equal(filed.body.boardId, acme.web.inbox.id);
  assert.equal(filed.body.columnId, acme.web.inbox.backlogId);
});

test("the response has exactly the fields of the contract", async () => {
  const acme = await makeOrganisation(lodge);
  const { body, headers } = await lodge.fileTicket(acme.tokens.web, { title: "t" });
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(body).sort(), ["boardId", "columnId", "createdAt", "id", "projectId", "title", "url"]);
  assert.deepEqual(compileCheck(FiledTicket).problemsOf(body), []);
  assert.equal(body.url, `${lodge.url}/tickets/${body.id}`);
});

test("createdAt is the time of filing in UTC, to the millisecond", async () => {
  const now = new Date("2026-03-29T00:30:00.007Z");
  await using frozen = await startService(lodge.env, { clock: { now: () => now } });
  const acme = await makeOrganisation(lodge);
  const filed = await frozen.fileTicket(acme.tokens.web, { title: "t" });
  assert.equal(filed.body.createdAt, "2026-03-29T00:30:00.007Z");
});

test("every field of a ticket is stored as it was sent", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.all, {
    title: 'A "title" \\ with <b>signs</b> 😀',
    description: "line\r\n\tline\u2028 \u0001",
    projectId: acme.web.id,
    boardId: acme.web.later.id,
    columnId: acme.web.later.chosenId,
    priority: "high",
    assigneeUserId: acme.memberUserId,
    agentRepositoryId: acme.web.repositoryId,
    startsAt: "2024-02-29",
    dueAt: "2024-02-29",
  });
  assert.equal(filed.status, 201);
  assert.equal(filed.body.title, 'A "title" \\ with <b>signs</b> 😀');
  const ticket = await storedTicket(filed.body.id);
  assert.equal(ticket.title, filed.body.title);
  assert.equal(ticket.description, "line\r\n\tline\u2028 \u0001");
  assert.equal(ticket.column_id, acme.web.later.chosenId);
  assert.equal(ticket.priority, "high");
  assert.equal(ticket.assignee_user_id, acme.memberUserId);
  assert.equal(ticket.agent_repository_id, acme.web.repositoryId);
  assert.deepEqual([ticket.starts_at, ticket.due_at], ["2024-02-29", "2024-02-29"]);
});

test("missing and null fields get their defaults", async () => {
  const acme = await makeOrganisation(lodge);
  const nothing = { assigneeUserId: null, agentRepositoryId: null, startsAt: null, dueAt: null };
  for (const body of [{ title: "t" }, { title: "t", ...nothing }]) {
    const filed = await lodge.fileTicket(acme.tokens.web, body);
    const ticket = await storedTicket(filed.body.id);
    assert.deepEqual(
      [ticket.description, ticket.priority, ticket.assignee_user_id, ticket.agent_repository_id],
      ["", "none", null, null],
    );
    assert.deepEqual([ticket.starts_at, ticket.due_at], [null, null]);
  }
});

test("a newer card sorts above an older one", async () => {
  const acme = await makeOrganisation(lodge);
  const older = await lodge.fileTicket(acme.tokens.web, { title: "older" });
  const newer = await lodge.fileTicket(acme.tokens.web, { title: "newer" });
  const [above, below] = [await storedTicket(newer.body.id), await storedTicket(older.body.id)];
  assert.ok(above.position > below.position);
});

test("the activity of filing a ticket keeps the name that the token had at the time", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t" });
  await lodge.deps.db
    .updateTable("tokens")
    .set({ name: "Renamed" })
    .where("organisation_id", "=", acme.id)
    .where("name", "=", "Web CI")
    .execute();
  const later = await lodge.fileTicket(acme.tokens.web, { title: "t" });
  const authors = await lodge.deps.db
    .selectFrom("tickets")
    .innerJoin("ticket_activities as activity", "activity.ticket_id", "tickets.id")
    .select(["author_name", "author_token_id", "actor_name", "actor_token_id", "kind", "activity.created_at"])
    .where("tickets.id", "in", [filed.body.id as string, later.body.id as string])
    .orderBy("tickets.id")
    .execute();
  assert.deepEqual(
    authors.map(({ author_name, actor_name, kind }) => [author_name, actor_name, kind]),
    [
      ["Web CI", "Web CI", "ticket.filed"],
      ["Renamed", "Renamed", "ticket.filed"],
    ],
  );
  for (const author of authors) assert.equal(author.actor_token_id, author.author_token_id);
  assert.equal(authors[0]?.created_at.toISOString(), filed.body.createdAt);
});

test("ids are accepted in any letter case and returned in lowercase", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.all, {
    title: "t",
    projectId: acme.web.id.toUpperCase(),
    boardId: acme.web.inbox.id.toUpperCase(),
    columnId: acme.web.inbox.doingId.toUpperCase(),
    assigneeUserId: acme.memberUserId.toUpperCase(),
    agentRepositoryId: acme.web.repositoryId.toUpperCase(),
  });
  assert.equal(filed.status, 201);
  assert.equal(filed.body.projectId, acme.web.id);
  assert.equal(filed.body.columnId, acme.web.inbox.doingId);
});

test("a token with access to more than one project must name one", async () => {
  const acme = await makeOrganisation(lodge);
  const refused = await lodge.fileTicket(acme.tokens.all, { title: "t" });
  assert.deepEqual([refused.status, refused.body.error], [400, "project_required"]);
  // A board or a column does not imply its project.
  const onBoard = await lodge.fileTicket(acme.tokens.all, { title: "t", boardId: acme.web.inbox.id });
  assert.deepEqual([onBoard.status, onBoard.body.error], [400, "project_required"]);
});

test("a token with scope all need not name the project if its organisation has only one", async () => {
  const { tokens } = await lodge.apply({
    organisation: { name: "Small", slug: `small-${randomUUID()}` },
    projects: [{ name: "Only", slug: "only", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  assert.equal((await lodge.fileTicket(tokens[0]?.secret, { title: "t" })).status, 201);
});

test("a token without access to any project finds none, named or not", async () => {
  const acme = await makeOrganisation(lodge);
  for (const projectId of [undefined, acme.web.id, nil]) {
    const refused = await lodge.fileTicket(acme.tokens.nowhere, { title: "t", projectId });
    assert.deepEqual([refused.status, refused.body.error], [404, "project_not_found"]);
  }
});

test("missing projects, projects without access and other organisations' projects give the same error", async () => {
  const acme = await makeOrganisation(lodge);
  const other = await makeOrganisation(lodge);
  const answers = [];
  for (const projectId of [randomUUID(), nil, acme.mobile.id, other.web.id]) {
    answers.push(await lodge.fileTicket(acme.tokens.web, { title: "t", projectId }));
  }
  for (const { status, text, body } of answers) {
    assert.deepEqual([status, body.error], [404, "project_not_found"]);
    assert.equal(text, answers[0]?.text);
  }
});

test("a token with scope all has no access to other organisations' projects", async () => {
  const [acme, other] = [await makeOrganisation(lodge), await makeOrganisation(lodge)];
  const refused = await lodge.fileTicket(acme.tokens.all, { title: "t", projectId: other.web.id });
  assert.deepEqual([refused.status, refused.body.error], [404, "project_not_found"]);
});

test("missing boards, and boards of other projects or organisations, give the same error", async () => {
  const [acme, other] = [await makeOrganisation(lodge), await makeOrganisation(lodge)];
  const texts = new Set<string>();
  for (const boardId of [randomUUID(), nil, acme.mobile.inbox.id, other.web.inbox.id]) {
    const refused = await lodge.fileTicket(acme.tokens.all, { title: "t", projectId: acme.web.id, boardId });
    assert.deepEqual([refused.status, refused.body.error], [404, "board_not_found"]);
    texts.add(refused.text);
  }
  assert.equal(texts.size, 1);
});

test("a project without a board has no first board", async () => {
  const { tokens } = await lodge.apply({
    organisation: { name: "New", slug: `new-${randomUUID()}` },
    projects: [{ name: "Empty", slug: "empty" }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const refused = await lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  assert.deepEqual([refused.status, refused.body.error], [404, "board_not_found"]);
});

test("a board without a column means its leftmost column", async () => {
  const acme = await makeOrganisation(lodge);
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t", boardId: acme.web.later.id });
  assert.equal(filed.body.columnId, acme.web.later.ideasId);
});

test("a column must be on the named board or, without one, on the first board", async () => {
  const acme = await makeOrganisation(lodge);
  const first = await lodge.fileTicket(acme.tokens.web, { title: "t", columnId: acme.web.inbox.doingId });
  assert.deepEqual([first.status, first.body.columnId], [201, acme.web.inbox.doingId]);

  const elsewhere = { title: "t", columnId: acme.web.later.ideasId };
  assert.equal((await lodge.fileTicket(acme.tokens.web, elsewhere)).body.error, "column_not_found");
  const named = await lodge.fileTicket(acme.tokens.web, { ...elsewhere, boardId: acme.web.later.id });
  assert.deepEqual([named.status, named.body.boardId], [201, acme.web.later.id]);
});

test("missing columns, and columns of other boards, projects or organisations, give the same error", async () => {
  const [acme, other] = [await makeOrganisation(lodge), await makeOrganisation(lodge)];
  const columns = [randomUUID(), nil, acme.web.later.ideasId, acme.mobile.inbox.backlogId, other.web.inbox.backlogId];
  const texts = new Set<string>();
  for (const columnId of columns) {
    const refused = await lodge.fileTicket(acme.tokens.web, { title: "t", boardId: acme.web.inbox.id, columnId });
    assert.deepEqual([refused.status, refused.body.error], [404, "column_not_found"]);
    texts.add(refused.text);
  }
  assert.equal(texts.size, 1);
});

test("a ticket whose start date is after its due date is refused", async () => {
  const acme = await makeOrganisation(lodge);
  const dates = (startsAt: string | null, dueAt: string | null) =>
    lodge.fileTicket(acme.tokens.web, { title: "t", startsAt, dueAt });
  const refused = await dates("2026-03-02", "2026-03-01");
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_date_range"]);
  for (const [startsAt, dueAt] of [
    ["2026-03-01", "2026-03-01"],
    ["2026-03-01", null],
    [null, "0001-01-01"],
    ["9999-12-31", "9999-12-31"],
  ] as const) {
    assert.equal((await dates(startsAt, dueAt)).status, 201);
  }
});

test("only members of the organisation can be assigned", async () => {
  const [acme, other] = [await makeOrganisation(lodge), await makeOrganisation(lodge)];
  for (const assigneeUserId of [randomUUID(), nil, other.memberUserId, other.agentUserId]) {
    const refused = await lodge.fileTicket(acme.tokens.web, { title: "t", assigneeUserId });
    assert.deepEqual([refused.status, refused.body.error], [400, "not_a_member"]);
  }
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t", assigneeUserId: acme.memberUserId });
  assert.equal(filed.status, 201);
});

test("only repositories that are bound to the project can be named", async () => {
  const [acme, other] = [await makeOrganisation(lodge), await makeOrganisation(lodge)];
  for (const agentRepositoryId of [randomUUID(), nil, acme.mobile.iosRepositoryId, other.web.repositoryId]) {
    const refused = await lodge.fileTicket(acme.tokens.web, { title: "t", agentRepositoryId });
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_agent_repository"]);
  }
});

test("a request with several errors reports the first in the order of checks", async () => {
  const acme = await makeOrganisation(lodge);
  const body: Record<string, unknown> = {
    title: "",
    projectId: randomUUID(),
    boardId: randomUUID(),
    columnId: randomUUID(),
    startsAt: "2026-03-02",
    dueAt: "2026-03-01",
    assigneeUserId: randomUUID(),
    agentRepositoryId: randomUUID(),
  };
  const mended: [string, Record<string, unknown>][] = [
    ["invalid_input", { title: "t" }],
    ["project_not_found", { projectId: acme.web.id }],
    ["board_not_found", { boardId: acme.web.inbox.id }],
    ["column_not_found", { columnId: acme.web.inbox.backlogId }],
    ["invalid_date_range", { startsAt: null }],
    ["not_a_member", { assigneeUserId: null }],
    ["invalid_agent_repository", { agentRepositoryId: null }],
  ];
  for (const [code, mending] of mended) {
    assert.equal((await lodge.fileTicket(acme.tokens.web, body)).body.error, code);
    Object.assign(body, mending);
  }
  assert.equal(await countTickets(acme.id), 0);
  assert.equal((await lodge.fileTicket(acme.tokens.web, body)).status, 201);
});

test("a refusal is JSON with an error code and a fixed message", async () => {
  const acme = await makeOrganisation(lodge);
  const { headers, body } = await lodge.fileTicket(acme.tokens.all, { title: "t" });
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(body), ["error", "message", "docs"]);
});

test("twenty concurrent requests file twenty tickets with twenty activities", async () => {
  const acme = await makeOrganisation(lodge);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => lodge.fileTicket(acme.tokens.web, { title: `${index}` })),
  );
  assert.ok(answers.every(({ status }) => status === 201));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 20);
  const activities = await lodge.deps.db
    .selectFrom("ticket_activities")
    .select("id")
    .where("organisation_id", "=", acme.id)
    .execute();
  assert.equal(activities.length, 20);
});

test("a ticket that fails to be written leaves nothing behind, and the error shows no internals", async () => {
  await using broken = await startService();
  const acme = await makeOrganisation(broken, { credits: 1 });
  await broken.deps.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'the secret inside of %', new; end $$;
    create trigger refuse before insert on agent_runs for each row execute function refuse()`);
  const failed = await broken.fileTicket(
    acme.tokens.web,
    { title: "t", assigneeUserId: acme.agentUserId },
    { "idempotency-key": "k" },
  );
  assert.equal(failed.status, 500);
  assert.deepEqual(Object.keys(failed.body), ["error", "message", "docs", "requestId"]);
  assert.equal(failed.body.error, "internal_error");
  assert.equal(failed.body.requestId, failed.headers.get("x-request-id"));
  assert.doesNotMatch(failed.text, /secret inside|agent_runs|trigger|at .*\.ts/);
  for (const table of ["tickets", "ticket_activities", "idempotency_records", "agent_runs"] as const) {
    assert.deepEqual(await broken.deps.db.selectFrom(table).selectAll().execute(), [], table);
  }
  const { credits } = await broken.deps.db.selectFrom("organisations").select("credits").executeTakeFirstOrThrow();
  assert.equal(credits, 1);
});
