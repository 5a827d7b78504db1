import assert from "node:assert/strict";
import type { EventEmitter } from "node:events";
import { test } from "node:test";
import { begin } from "../../testing/begin.ts";
import { type DashboardClient, signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

type Details = { id: string; run: { state: string; reason: string | null } | null } & Record<string, unknown>;
type Activities = { activities: ({ kind: string; actor: object } & Record<string, unknown>)[] };

async function ok<T = Details>(client: DashboardClient, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await client(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body as T;
}

/** Acme's board, and its member Mel. */
async function board(lodge: Awaited<ReturnType<typeof startService>>) {
  const { acme, umbra } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const [web, mobile] = acme.projects;
  const [backlog = "", doing = "", done = ""] = web?.boards[0]?.columns.map(({ id }) => id) ?? [];
  const titles = async (columnId: string) => {
    const { cards } = await ok<{ cards: { title: string; position: string; id: string }[] }>(
      mel,
      "GET",
      `/columns/${columnId}/cards`,
    );
    const sorted = [...cards].sort((a, b) => (a.position < b.position ? 1 : -1));
    assert.deepEqual(cards, sorted, "a client can sort the cards by position");
    return cards.map(({ title }) => title).join(" ");
  };
  const file = (title: string, columnId = backlog) => ok(mel, "POST", "/tickets", { title, columnId });
  const move = (id: string, columnId: string, belowTicketId: string | null) =>
    mel("POST", `/tickets/${id}/move`, { columnId, belowTicketId });
  return { acme, umbra, mel, web, mobile, backlog, doing, done, titles, file, move };
}

test("a person files a ticket and opens it by its deep link", async () => {
  await using lodge = await startService();
  const { acme, mel, web, backlog } = await board(lodge);
  const assigneeUserId = acme.members[0]?.id;
  const agentRepositoryId = web?.repositories[0]?.id;
  const filed = await ok(mel, "POST", "/tickets", {
    title: "Nightly build is red",
    description: "since Monday",
    columnId: backlog.toUpperCase(),
    priority: "high",
    assigneeUserId,
    agentRepositoryId,
    startsAt: "2026-01-01",
    dueAt: "2026-01-01",
  });
  const { id, position, createdAt, updatedAt } = filed;
  assert.deepEqual(filed, {
    id,
    columnId: backlog,
    position,
    number: "WEB-1",
    title: "Nightly build is red",
    priority: "high",
    assignee: { id: assigneeUserId, name: "Ada Acme", isAgent: false },
    author: { kind: "person", id: acme.members[2]?.id, name: "Mel Acme" },
    startsAt: "2026-01-01",
    dueAt: "2026-01-01",
    commentCount: 0,
    tasks: null,
    report: null,
    createdAt,
    updatedAt,
    labels: [],
    occurrences: 1,
    lastOccurredAt: null,
    doneAt: null,
    archivedAt: null,
    problem: null,
    previousTicketId: null,
    description: "since Monday",
    agentRepositoryId,
    project: { id: web?.id, name: "Web" },
    board: { id: web?.boards[0]?.id, name: "Inbox" },
    column: { id: backlog, name: "Backlog", isDone: false },
    run: null,
    url: `${lodge.url}/tickets/${id}`,
  });
  assert.deepEqual(await ok(mel, "GET", `/tickets/${id}`), filed);
  assert.deepEqual(await ok(mel, "GET", `/tickets/${id}/place`), {
    organisationId: acme.organisation.id,
    projectId: web?.id,
    boardId: web?.boards[0]?.id,
    columnId: backlog,
  });
});

test("a deep link to another organisation of the person works; links to other organisations do not", async () => {
  await using lodge = await startService();
  const { acme, umbra, mel } = await board(lodge);
  const { body } = await lodge.fileTicket(umbra.tokens[0]?.secret, { title: "t" });
  assert.equal((await mel("GET", `/tickets/${body.id}/place`)).body.error, "ticket_not_found");
  await lodge.apply({
    organisation: { name: "Umbra", slug: "umbra" },
    members: [{ email: "mel@acme.test", name: "Mel Acme", role: "member" }],
  });
  const place = await ok<{ organisationId: string }>(mel, "GET", `/tickets/${body.id}/place`);
  assert.equal(place.organisationId, umbra.organisation.id);
  assert.equal((await mel("GET", `/tickets/${body.id}`)).body.error, "ticket_not_found", "before switching");
  await ok(mel, "PATCH", "/session", place.organisationId ? { organisationId: place.organisationId } : {});
  assert.equal((await ok(mel, "GET", `/tickets/${body.id}`)).title, "t");
  assert.notEqual(acme.organisation.id, umbra.organisation.id);
});

test("invalid ticket fields are refused, both when filing and when changing", async () => {
  await using lodge = await startService();
  const { umbra, mel, mobile, backlog, file } = await board(lodge);
  const { id } = await file("t");
  const refusals: [object, string][] = [
    [{ startsAt: "2026-02-02", dueAt: "2026-02-01" }, "invalid_date_range"],
    [{ startsAt: "2026-02-30" }, "invalid_input"],
    [{ assigneeUserId: umbra.members[0]?.id }, "not_a_member"],
    [{ agentRepositoryId: mobile?.id }, "invalid_agent_repository"],
    [{ title: "" }, "invalid_input"],
    [{ title: "x".repeat(201) }, "invalid_input"],
    [{ title: "a\u0000b" }, "invalid_input"],
    [{ description: "x".repeat(20_001) }, "invalid_input"],
    [{ priority: "urgent" }, "invalid_input"],
    [{ projectId: mobile?.id }, "invalid_input"],
  ];
  for (const [body, error] of refusals) {
    assert.equal((await mel("POST", "/tickets", { title: "t", columnId: backlog, ...body })).body.error, error);
    assert.equal((await mel("PATCH", `/tickets/${id}`, body)).body.error, error);
  }
  assert.equal((await mel("PATCH", `/tickets/${id}`, {})).body.error, "invalid_input");
  await ok(mel, "PATCH", `/tickets/${id}`, { startsAt: "2026-02-02" });
  const late = await mel("PATCH", `/tickets/${id}`, { dueAt: "2026-02-01" });
  assert.equal(late.body.error, "invalid_date_range", "the new due date is checked against the stored start date");
});

test("the history records every change: who made it, the old value and the new value", async () => {
  await using lodge = await startService();
  const { acme, mel, web, doing, move } = await board(lodge);
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Old" });
  const path = `/tickets/${filed.body.id}`;
  await ok(mel, "PATCH", path, { title: "New", description: "more", priority: "low" });
  await ok(mel, "PATCH", path, { assigneeUserId: acme.members[0]?.id?.toUpperCase(), dueAt: "2026-05-01" });
  await ok(mel, "PATCH", path, { assigneeUserId: null, agentRepositoryId: web?.repositories[0]?.id });
  await ok(mel, "PATCH", path, { title: "New", assigneeUserId: null });
  assert.equal((await move(`${filed.body.id}`, doing, null)).status, 200);
  assert.equal((await move(`${filed.body.id}`, doing, null)).status, 200);
  const comment = await ok(mel, "POST", `${path}/comments`, { text: "Done soon" });

  const { activities } = await ok<Activities>(mel, "GET", `${path}/activities`);
  const person = { kind: "person", id: acme.members[2]?.id, name: "Mel Acme" };
  assert.deepEqual(
    activities.map(({ id, createdAt, ...activity }) => activity),
    [
      { kind: "ticket.commented", actor: person, commentId: comment.id },
      { kind: "ticket.moved", actor: person, from: "Backlog", to: "Doing" },
      {
        kind: "ticket.changed",
        actor: person,
        changes: [
          { field: "assignee", from: "Ada Acme", to: null },
          { field: "agentRepository", from: null, to: "web" },
        ],
      },
      {
        kind: "ticket.changed",
        actor: person,
        changes: [
          { field: "assignee", from: null, to: "Ada Acme" },
          { field: "dueAt", from: null, to: "2026-05-01" },
        ],
      },
      {
        kind: "ticket.changed",
        actor: person,
        changes: [
          { field: "title", from: "Old", to: "New" },
          { field: "description", from: null, to: null },
          { field: "priority", from: "none", to: "low" },
        ],
      },
      { kind: "ticket.filed", actor: { kind: "token", id: acme.tokens[0]?.id, name: "CI" } },
    ],
  );
});

test("a ticket assigned to the agent gets a run, which is held if no credit is left", async () => {
  await using lodge = await startService();
  const { acme, mel, backlog, file } = await board(lodge);
  const assigneeUserId = acme.organisation.agentUserId;
  const filed = await ok(mel, "POST", "/tickets", { title: "t", columnId: backlog, assigneeUserId });
  assert.deepEqual([filed.run?.state, filed.run?.reason], ["queued", null]);
  assert.deepEqual(filed.assignee, { id: assigneeUserId, name: "Agent", isAgent: true });

  const later = await file("u");
  const changed = await ok(mel, "PATCH", `/tickets/${later.id}`, { assigneeUserId });
  assert.deepEqual([changed.run?.state, changed.run?.reason], ["held", "no_credits"]);
  await ok(mel, "PATCH", `/tickets/${later.id}`, { assigneeUserId, title: "v" });
  const runs = await lodge.deps.db.selectFrom("agent_runs").select(["ticket_id", "state"]).orderBy("id").execute();
  assert.deepEqual(runs, [
    { ticket_id: filed.id, state: "queued" },
    { ticket_id: later.id, state: "held" },
  ]);
});

test("moving a card within or between columns writes only its own row", async () => {
  await using lodge = await startService();
  const { acme, mobile, backlog, doing, titles, file, move } = await board(lodge);
  const [a, b, c, d] = [await file("a"), await file("b"), await file("c"), await file("d")] as const;
  assert.equal(await titles(backlog), "d c b a");
  const rows = () =>
    lodge.deps.db.selectFrom("tickets").select(["id", "column_id", "position"]).orderBy("id").execute();
  const moves: [string, string, string | null, string, string][] = [
    [a.id, backlog, null, "a d c b", ""],
    [a.id, backlog, d.id, "d a c b", ""],
    [d.id, backlog, b.id, "a c b d", ""],
    [c.id, backlog, d.id, "a b d c", ""],
    [d.id, doing, null, "a b c", "d"],
    [b.id, doing, d.id, "a c", "d b"],
    [a.id, doing, d.id, "c", "d a b"],
    [c.id, doing, b.id, "", "d a b c"],
    [b.id, backlog, null, "b", "d a c"],
    [b.id, backlog, null, "b", "d a c"],
  ];
  for (const [id, columnId, belowTicketId, inBacklog, inDoing] of moves) {
    const before = await rows();
    const { status, body, text } = await move(id, columnId, belowTicketId);
    assert.equal(status, 200, text);
    assert.equal(body.columnId, columnId);
    assert.deepEqual([await titles(backlog), await titles(doing)], [inBacklog, inDoing]);
    const written = (await rows()).filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index]));
    assert.deepEqual(
      written.map((row) => row.id),
      [id],
    );
  }
  await file("e");
  assert.equal(await titles(backlog), "e b", "a new card goes above a card that was moved to the top");

  assert.equal((await move(a.id, backlog, d.id)).body.error, "card_moved_away");
  assert.equal((await move(a.id, doing, a.id)).body.error, "card_moved_away");
  assert.equal((await move(a.id, mobile?.boards[0]?.columns[0]?.id ?? "", null)).body.error, "column_not_found");
  assert.equal((await move(a.id, acme.organisation.id, null)).body.error, "column_not_found");
});

test("a move takes five round trips to the database: one to authenticate, four for the transaction", async () => {
  await using patient = await makePatientDatabase();
  let roundTrips = 0;
  for (const pool of [patient.overrides.dashboard?.pool, patient.overrides.pool]) {
    pool?.on("connect", (client) => {
      const { connection } = client as unknown as { connection: EventEmitter };
      connection.on("readyForQuery", () => roundTrips++);
    });
  }
  const nobody = { announce: () => {} }; // dashboards are notified later, outside of the counted round trips
  await using lodge = await startService(patient.env, { ...patient.overrides, ...nobody });
  const { doing, titles, file, move } = await board(lodge);
  const [a, b] = [await file("a"), await file("b")] as const;
  assert.equal((await move(a.id, doing, null)).status, 200);
  roundTrips = 0;
  assert.equal((await move(b.id, doing, a.id)).status, 200);
  assert.equal(roundTrips, 5);
  assert.equal(await titles(doing), "a b");
});

test("the history of a move to another board of the project names both boards", async () => {
  await using lodge = await startService();
  const { mel, web, file, move } = await board(lodge);
  const other = await ok<{ id: string }>(mel, "POST", "/boards", {
    projectId: web?.id,
    name: "Sprint",
    columns: ["Now"],
  });
  const { columns } = await ok<{ columns: { id: string }[] }>(mel, "GET", `/boards/${other.id}`);
  const { id } = await file("t");
  assert.equal((await move(id, columns[0]?.id ?? "", null)).status, 200);
  const { activities } = await ok<Activities>(mel, "GET", `/tickets/${id}/activities`);
  assert.deepEqual([activities[0]?.from, activities[0]?.to], ["Inbox / Backlog", "Sprint / Now"]);
  assert.deepEqual((await ok(mel, "GET", `/tickets/${id}`)).board, { id: other.id, name: "Sprint" });
});

test("cards can be moved to the same gap, and to the bottom, any number of times without unbounded keys", async () => {
  await using lodge = await startService();
  const { backlog, titles, file, move } = await board(lodge);
  const [a, b, c] = [await file("a"), await file("b"), await file("c")] as const;
  let longest = 0;
  for (let round = 0; round < 120; round++) {
    for (const { id } of [a, b]) {
      longest = Math.max(longest, `${(await move(id, backlog, c.id)).body.position}`.length);
    }
  }
  assert.equal(await titles(backlog), "c b a");
  assert.ok(longest > 50 && longest <= 60, `${longest}`);
  for (let round = 0; round < 20; round++) {
    await move(b.id, backlog, a.id);
    const { body } = await move(a.id, backlog, b.id);
    assert.ok(`${body.position}`.length <= 34);
  }
  assert.equal(await titles(backlog), "c b a");
  await file("d");
  assert.equal(await titles(backlog), "d c b a");
});

test("cards that many people move at the same time all get distinct positions", async () => {
  await using lodge = await startService();
  const { backlog, doing, titles, file, move } = await board(lodge);
  const anchor = await file("anchor", doing);
  const cards = [];
  for (let number = 0; number < 12; number++) cards.push(await file(`${number}`));
  const answers = await Promise.all(cards.map(({ id }, index) => move(id, doing, index % 2 === 0 ? null : anchor.id)));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(new Set(answers.map(({ body }) => body.position)).size, 12);
  assert.equal(await titles(backlog), "");
  const order = (await titles(doing)).split(" ");
  assert.equal(order.indexOf("anchor"), 6);
});

test("filing into a column that is deleted meanwhile is refused without an internal error", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme, doing } = await board(lodge);
  const client = await lodge.deps.pool.connect();
  await client.query(begin);
  await client.query("delete from columns where id = $1", [doing]);
  const filing = lodge.fileTicket(acme.tokens[0]?.secret, { title: "t", columnId: doing });
  await untilWaiting(lodge.deps.pool);
  await client.query("commit");
  client.release();
  const { status, body } = await filing;
  assert.deepEqual([status, body.error], [404, "column_not_found"]);
});

test("a card or comment sent twice with the same Idempotency-Key is created once", async () => {
  await using lodge = await startService();
  const { acme, mel, backlog, titles } = await board(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const file = (client: DashboardClient, title: string, key: string) =>
    client("POST", "/tickets", { title, columnId: backlog }, { "idempotency-key": key });
  const first = await Promise.all([file(mel, "a", "k"), file(mel, "a", "k"), file(mel, "a", "k")]);
  assert.deepEqual(
    first.map(({ status }) => status),
    [201, 201, 201],
  );
  const id = String(first[0]?.body.id);
  assert.deepEqual(new Set(first.map(({ body }) => body.id)), new Set([id]));
  const again = await mel(
    "POST",
    "/tickets",
    { title: "b", columnId: acme.organisation.id },
    { "idempotency-key": "k" },
  );
  assert.deepEqual([again.status, again.body.title], [201, "a"]);
  assert.equal((await file(ada, "c", "k")).body.title, "c", "keys belong to the person");
  assert.equal(await titles(backlog), "c a");

  const path = `/tickets/${id}/comments`;
  const comment = (client: DashboardClient, text: string) => client("POST", path, { text }, { "idempotency-key": "k" });
  const written = await Promise.all([comment(mel, "once"), comment(mel, "once"), comment(mel, "once")]);
  assert.equal(new Set(written.map(({ text }) => text)).size, 1);
  assert.equal((await comment(ada, "hers")).body.text, "hers");
  const { comments } = await ok<{ comments: { text: string }[] }>(mel, "GET", path);
  assert.deepEqual(
    comments.map(({ text }) => text),
    ["once", "hers"],
  );
  for (const wrong of [`/tickets`, path]) {
    const body = wrong === path ? { text: "t" } : { title: "t", columnId: backlog };
    const refused = await mel("POST", wrong, body, { "idempotency-key": "x".repeat(256) });
    assert.equal(refused.body.error, "invalid_idempotency_key");
  }
});

test("a card shows how many tasks its description has, and how many are checked", async () => {
  await using lodge = await startService();
  const { mel, backlog } = await board(lodge);
  const tasksOf = async (description: string) => {
    const { id } = await ok(mel, "POST", "/tickets", { title: "t", columnId: backlog, description });
    const { cards } = await ok<{ cards: { id: string; tasks: unknown }[] }>(mel, "GET", `/columns/${backlog}/cards`);
    return cards.find((card) => card.id === id)?.tasks;
  };
  const list = "Do:\n- [ ] one\n- [x] two\n  * [X] nested\n1. [ ] numbered\n> + [ ] quoted";
  assert.deepEqual(await tasksOf(list), { done: 2, total: 5 });
  assert.deepEqual(await tasksOf(list.replaceAll("\n", "\r\n")), { done: 2, total: 5 });
  const code = "```\n- [ ] code\n```\n- [ ] task\n```\n- [x] code to the end";
  assert.deepEqual(await tasksOf(code), { done: 0, total: 1 });
  for (const none of ["", "[ ] no list", "- [] empty", "- [ ]", "- [x](link)", "a - [ ] b"]) {
    assert.equal(await tasksOf(none), null, none);
  }
  const { id } = await ok(mel, "POST", "/tickets", { title: "t", columnId: backlog, description: "- [ ] a" });
  const change = { description: "- [x] a", basedOn: { description: "- [ ] a" } };
  assert.deepEqual((await ok(mel, "PATCH", `/tickets/${id}`, change)).tasks, { done: 1, total: 1 });
  const late = { ...change, description: "- [ ] a\n- [ ] b" };
  assert.equal((await mel("PATCH", `/tickets/${id}`, late)).body.error, "text_changed");
});

test("comments can mention members, but not tokens", async () => {
  await using lodge = await startService();
  const { acme, mel, file } = await board(lodge);
  const { id } = await file("t");
  const path = `/tickets/${id}/comments`;
  const ada = acme.members[0]?.id;
  const comment = await ok(mel, "POST", path, { text: "@Ada Acme, look", mentionedUserIds: [ada, ada] });
  assert.deepEqual(comment, {
    id: comment.id,
    author: { kind: "person", id: acme.members[2]?.id, name: "Mel Acme" },
    text: "@Ada Acme, look",
    mentions: [{ id: ada, name: "Ada Acme" }],
    createdAt: comment.createdAt,
    editedAt: null,
  });
  await ok(mel, "POST", path, { text: "second" });
  const { comments } = await ok<{ comments: object[] }>(mel, "GET", path);
  assert.deepEqual(comments[0], comment);
  assert.equal(comments.length, 2);
  assert.equal((await ok(mel, "GET", `/tickets/${id}`)).commentCount, 2);

  const token = await mel("POST", path, { text: "@CI", mentionedUserIds: [acme.tokens[0]?.id] });
  assert.deepEqual(token.body, {
    error: "not_a_member",
    message: "A user in mentionedUserIds is not a member. Mention only members.",
    docs: `${lodge.url}/docs/errors#not_a_member`,
  });
  const unsaid = await mel("POST", path, { text: "look", mentionedUserIds: [ada] });
  assert.deepEqual(unsaid.body.details, [
    { path: "/mentionedUserIds", message: "must appear in the text: @Ada Acme is missing" },
  ]);
  for (const body of [{}, { text: "" }, { text: "x".repeat(20_001) }, { text: "x", mentionedUserIds: ["ada"] }]) {
    assert.equal((await mel("POST", path, body)).body.error, "invalid_input");
  }
});

test("comments and history are paged", async () => {
  await using lodge = await startService();
  const { mel, file } = await board(lodge);
  const { id } = await file("t");
  for (let number = 1; number <= 101; number++) await ok(mel, "POST", `/tickets/${id}/comments`, { text: `${number}` });
  type Page = { comments: { text: string }[]; nextCursor: string | null };
  const first = await ok<Page>(mel, "GET", `/tickets/${id}/comments`);
  assert.deepEqual([first.comments.length, first.comments[0]?.text], [100, "1"]);
  const second = await ok<Page>(mel, "GET", `/tickets/${id}/comments?cursor=${first.nextCursor}`);
  assert.deepEqual([second.comments.map(({ text }) => text), second.nextCursor], [["101"], null]);
  type History = Activities & { nextCursor: string | null };
  const newest = await ok<History>(mel, "GET", `/tickets/${id}/activities`);
  assert.equal(newest.activities.length, 100);
  const oldest = await ok<History>(mel, "GET", `/tickets/${id}/activities?cursor=${newest.nextCursor}`);
  assert.deepEqual(
    oldest.activities.map(({ kind }) => kind),
    ["ticket.commented", "ticket.filed"],
  );
  assert.equal((await mel("GET", `/tickets/${id}/comments?cursor=x`)).body.error, "invalid_input");
});
