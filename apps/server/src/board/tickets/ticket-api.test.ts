import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { changeColumn, listActivities, writeComment } from "@lodge/contract/calls.generated";
import type { Ticket, TicketComment, TicketList } from "@lodge/contract/tickets";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";
import { indexAllTexts } from "./index-texts.ts";

const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "100000" });
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with Ada, and a bot with all ticket permissions for the project Web, and its requests. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [
      {
        name: "Bot",
        scope: ["web"],
        permissions: ["tickets:write", "tickets:read", "tickets:edit", "projects:read"],
      },
    ],
  });
  const bot = tokens.find(({ name }) => name === "Bot")?.secret ?? "";
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, secret = bot) =>
    lodge.request(method, `/api/v1${path}`, {
      headers: { authorization: `Bearer ${secret}`, ...headers },
      ...(body !== undefined && { body }),
    });
  const file = async (fields: object = {}) => `${(await lodge.fileTicket(bot, { title: "t", ...fields })).body.id}`;
  const read = async (id: string) => (await ask("GET", `/tickets/${id}`)).body as Ticket;
  const patch = async (id: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await ask("PATCH", `/tickets/${id}`, body, headers);
    return { ...answer, ticket: answer.body as Ticket, etag: answer.headers.get("etag") ?? "" };
  };
  const history = async (ticketId: string) =>
    (await ada.call(listActivities, { params: { ticketId }, query: {} })).activities;
  const list = async (query: Record<string, string> = {}) => {
    const { body } = await ask("GET", `/tickets?${new URLSearchParams(query)}`);
    return body as TicketList;
  };
  const titles = async (query: Record<string, string> = {}) => (await list(query)).tickets.map(({ title }) => title);
  return { acme, ada, bot, ask, file, read, patch, history, list, titles };
}

test("a token changes every field of a ticket in one request, and the history names the token", async () => {
  const { acme, file, patch, read, history } = await team();
  const id = await file({ labels: ["a", "b"] });
  const { status, ticket, etag } = await patch(id, {
    title: "New title",
    description: "Why",
    priority: "high",
    assigneeUserId: acme.memberUserId.toUpperCase(),
    agentRepositoryId: acme.web.repositoryId,
    startsAt: "2026-05-01",
    dueAt: "2026-05-08",
    addLabels: ["c"],
    removeLabels: ["a"],
    boardId: acme.web.later.id,
    columnId: acme.web.later.chosenId,
  });
  assert.equal(status, 200);
  assert.deepEqual(
    [ticket.title, ticket.description, ticket.priority, ticket.assigneeUserId, ticket.agentRepositoryId],
    ["New title", "Why", "high", acme.memberUserId, acme.web.repositoryId],
  );
  assert.deepEqual([ticket.startsAt, ticket.dueAt, ticket.labels], ["2026-05-01", "2026-05-08", ["b", "c"]]);
  assert.deepEqual(
    [ticket.boardId, ticket.columnId, ticket.number],
    [acme.web.later.id, acme.web.later.chosenId, "WEB-1"],
  );
  assert.deepEqual(await read("web-1"), ticket);
  assert.match(etag, /^".+"$/);
  assert.deepEqual(
    (await history(id)).map(({ kind, actor }) => [kind, actor.kind, actor.name]),
    [
      ["ticket.moved", "token", "Bot"],
      ["ticket.changed", "token", "Bot"],
      ["ticket.filed", "token", "Bot"],
    ],
  );
});

test("a change is validated like a new ticket, and a refused change has no effect", async () => {
  const { acme, file, patch, read } = await team();
  const id = await file({ startsAt: "2026-05-01" });
  const before = await read(id);
  for (const [body, code] of [
    [{ dueAt: "2026-04-01" }, "invalid_date_range"],
    [{ assigneeUserId: randomUUID() }, "not_a_member"],
    [{ agentRepositoryId: acme.mobile.iosRepositoryId }, "invalid_agent_repository"],
    [{ boardId: acme.mobile.inbox.id }, "board_not_found"],
    [{ columnId: acme.web.later.ideasId }, "column_not_found"],
    [{ boardId: acme.web.later.id, columnId: acme.web.inbox.doingId }, "column_not_found"],
    [{ title: " " }, "invalid_input"],
    [{ title: null }, "invalid_input"],
    [{ problem: "x" }, "invalid_input"],
    [{ position: "middle" }, "invalid_input"],
    [{ title: "Fine", addLabels: Array.from({ length: 20 }, (_, n) => `l${n}`), labels: ["x"] }, "invalid_input"],
  ] as const) {
    const refused = await patch(id, body);
    assert.equal(refused.body.error, code, JSON.stringify(body));
  }
  assert.deepEqual(await read(id), before);
  const empty = await patch(id, {});
  assert.deepEqual([empty.status, empty.ticket], [200, before]);
});

test("done: true moves a card to the done column or archives it; done: false moves it to the leftmost column", async () => {
  const { acme, ada, file, patch, history } = await team();
  await ada.call(changeColumn, { params: { columnId: acme.web.inbox.doingId }, body: { isDone: true } });
  const id = await file();
  const closed = await patch(id, { done: true });
  assert.deepEqual([closed.ticket.columnId, closed.ticket.doneAt !== null], [acme.web.inbox.doingId, true]);
  assert.equal((await patch(id, { done: true })).etag, closed.etag, "a card that is already done does not change");
  const open = await patch(id, { done: false });
  assert.deepEqual([open.ticket.columnId, open.ticket.doneAt], [acme.web.inbox.backlogId, null]);
  assert.deepEqual(
    (await history(id)).map(({ kind }) => kind),
    ["ticket.moved", "ticket.resolved", "ticket.filed"],
  );
  assert.equal(
    (await patch(id, { done: false, columnId: acme.web.inbox.doingId })).status,
    400,
    "done excludes columnId",
  );
  const archived = await patch(id, { archived: true });
  assert.equal(archived.ticket.archivedAt !== null, true);
  assert.equal((await patch(id, { archived: false })).ticket.archivedAt, null);
});

test("position moves a card to the top or the bottom of its column", async () => {
  const { acme, ada, file, patch } = await team();
  const [first, second, third] = [await file({ title: "1" }), await file({ title: "2" }), await file({ title: "3" })];
  const order = async () => {
    const board = await ada("GET", `/boards/${acme.web.inbox.id}`);
    const [backlog] = (board.body as { columns: { cards: { title: string }[] }[] }).columns;
    return backlog?.cards.map(({ title }) => title).join("");
  };
  assert.equal(await order(), "321");
  await patch(third, { position: "bottom" });
  assert.equal(await order(), "213");
  await patch(first, { position: "top" });
  assert.equal(await order(), "123");
  const { etag } = await patch(second, {});
  await patch(second, { position: "bottom" });
  assert.equal((await patch(second, { title: "x" }, { "if-match": etag })).status, 412, "a move changes the ETag");
});

test("If-Match refuses to overwrite later changes; comments do not change the ETag", async () => {
  const { ask, file, patch, read } = await team();
  const id = await file();
  const etag = (await ask("GET", `/tickets/${id}`)).headers.get("etag") ?? "";
  assert.equal((await ask("POST", `/tickets/${id}/comments`, { text: "Hello" })).status, 201);
  const fresh = await patch(id, { title: "2" }, { "if-match": `"other", W/${etag}` });
  assert.deepEqual([fresh.status, fresh.ticket.commentCount], [200, 1]);
  const stale = await patch(id, { title: "3" }, { "if-match": etag });
  assert.deepEqual([stale.status, stale.body.error], [412, "ticket_changed"]);
  assert.equal((await read(id)).title, "2");
  assert.equal((await patch(id, { title: "4" }, { "if-match": "*" })).status, 200);
});

test("an Idempotency-Key is scoped to the token, operation and ticket, and replays the exact bytes", async () => {
  const { ask, file, patch, read } = await team();
  const [id, other] = [await file(), await file()];
  const key = { "idempotency-key": "k" };
  const first = await patch(id, { title: "A" }, key);
  await patch(id, { title: "B" });
  const again = await patch((await read(id)).number ?? "", { title: "C" }, key);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal(again.headers.get("idempotency-replayed"), "mismatch");
  assert.equal((await read(id)).title, "B");
  const invalid = await ask("PATCH", `/tickets/${id}`, "not json", { ...key, "content-type": "text/plain" });
  assert.equal(invalid.text, first.text, "a replay does not read the body");
  assert.equal((await patch(other, { title: "D" }, key)).ticket.title, "D", "another ticket");
  const comment = () => ask("POST", `/tickets/${id}/comments`, { text: "Once" }, key);
  const [one, two] = await Promise.all([comment(), comment()]);
  assert.deepEqual(
    [one.status, one.text],
    [201, two.text],
    "the key is free for another operation, and two concurrent requests create one comment",
  );
  assert.equal((await read(id)).commentCount, 1);
  const { status, body } = await patch(id, {}, { "idempotency-key": "x".repeat(256) });
  assert.deepEqual([status, body.error], [400, "invalid_idempotency_key"]);
});

test("a token reads the comments in order, paged; in the dashboard its own comments carry its name", async () => {
  const { acme, ada, ask, file } = await team();
  const id = await file();
  await ada.call(writeComment, { params: { ticketId: id }, body: { text: "Mine" } });
  const written = (await ask("POST", `/tickets/${id}/comments`, { text: "x".repeat(20_000) })).body as TicketComment;
  assert.deepEqual(
    [written.ticketId, written.author, written.url],
    [id, { kind: "token", name: "Bot" }, `${lodge.url}/tickets/${id}`],
  );
  const { number } = (await ask("GET", `/tickets/${id}`)).body;
  const page = await ask("GET", `/tickets/${number}/comments?limit=1`);
  const { comments, next } = page.body as { comments: TicketComment[]; next: string };
  assert.deepEqual(
    comments.map(({ text, author }) => [text, author.kind, author.name]),
    [["Mine", "person", "Ada"]],
  );
  const rest = (await ask("GET", `/tickets/${id}/comments?cursor=${next}`)).body as { comments: unknown[]; next: null };
  assert.deepEqual(rest, { comments: [written], next: null });
  for (const text of ["", " ", "x".repeat(20_001)]) {
    assert.equal((await ask("POST", `/tickets/${id}/comments`, { text })).status, 400);
  }
  assert.equal((await ask("GET", `/tickets/${id}/comments?cursor=x`)).status, 400);
  const shown = (await ada("GET", `/tickets/${id}/comments`)).body as { comments: { author: { kind: string } }[] };
  assert.deepEqual(
    shown.comments.map(({ author }) => author.kind),
    ["person", "token"],
  );
  assert.ok(acme);
});

test("lists are filtered, sorted and paged", async () => {
  const { acme, file, patch, list, titles } = await team();
  await file({ title: "red", priority: "low", labels: ["ci"], dueAt: "2026-05-02", problem: "p" });
  await file({ title: "blue", priority: "high", dueAt: "2026-05-01", description: "About oceans" });
  await file({ title: "green", assigneeUserId: acme.memberUserId, boardId: acme.web.later.id });
  const done = await file({ title: "done" });
  await patch(done, { done: true });
  await patch(await file({ title: "gone" }), { archived: true });
  await lodge.fileTicket(acme.tokens.mobile, { title: "elsewhere" });

  assert.deepEqual(await titles(), ["green", "blue", "red"], "open tickets, the most recently changed first");
  assert.deepEqual(await titles({ state: "done" }), ["done"]);
  assert.deepEqual(await titles({ state: "archived" }), ["gone"]);
  assert.equal((await titles({ state: "all" })).length, 5);
  assert.deepEqual(await titles({ sort: "createdAt" }), ["green", "blue", "red"]);
  assert.deepEqual(await titles({ sort: "dueAt" }), ["blue", "red", "green"], "tickets without a due date come last");
  assert.deepEqual(await titles({ sort: "priority" }), ["blue", "red", "green"]);
  assert.deepEqual(await titles({ boardId: acme.web.later.id }), ["green"]);
  assert.deepEqual(await titles({ projectId: acme.web.id, columnId: acme.web.inbox.backlogId }), ["blue", "red"]);
  assert.deepEqual(await titles({ label: "ci" }), ["red"]);
  assert.deepEqual(await titles({ label: "unknown" }), []);
  assert.deepEqual(await titles({ assigneeUserId: acme.memberUserId }), ["green"]);
  assert.deepEqual(await titles({ priority: "high" }), ["blue"]);
  assert.deepEqual(await titles({ problem: "p" }), ["red"]);
  assert.deepEqual(await titles({ q: "OCEAN" }), ["blue"]);
  assert.deepEqual(await titles({ q: "web-1" }), ["red"]);
  const { tickets } = await list({ sort: "createdAt" });
  assert.deepEqual(await titles({ updatedSince: tickets[0]?.updatedAt ?? "" }), ["green"]);

  for (const sort of ["updatedAt", "createdAt", "dueAt", "priority"]) {
    const whole = await titles({ sort, state: "all" });
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ sort, state: "all", limit: "2", ...(cursor !== undefined && { cursor }) });
      paged.push(...page.tickets.map(({ title }) => title));
      cursor = page.next;
    }
    assert.deepEqual(paged, whole, sort);
  }
});

test("a text is found behind thousands of newer tickets, through its rarest part", async () => {
  const { acme, file, titles } = await team();
  const filler = "lorem ipsum ".repeat(300);
  await file({ title: "Order KX81Q702 is late" });
  await file({ title: "short", description: "The order kx81q702-b" });
  await file({ title: "long", description: `${filler}and KX81q702 again${filler}` });
  await file({ title: "a-b 100%_sure" });
  await lodge.deps.pool.query(
    `insert into tickets (organisation_id, column_id, position, title, author_name, id)
    select $1, $2, 'f' || lpad(n::text, 5, '0'), 'Order straw' || n || ' is late', 'a test', uuidv7(n * interval '1 ms')
    from generate_series(1, 2500) n`,
    [acme.id, acme.web.inbox.backlogId],
  );
  await indexAllTexts(lodge.deps);
  await indexAllTexts(lodge.deps);
  const found = async (q: string) => (await titles({ q, sort: "createdAt" })).reverse();
  assert.deepEqual(await found("kx81Q702"), ["Order KX81Q702 is late", "short", "long"]);
  assert.deepEqual(await found("order kx81q702"), ["Order KX81Q702 is late", "short"]);
  assert.deepEqual(await found("KX81Q702-B"), ["short"]);
  assert.deepEqual(await found("kx81q703"), []);
  assert.deepEqual(await found("b 100%_s"), ["a-b 100%_sure"]);
  assert.equal((await found("order straw")).length, 50);
});

test("a list refuses unknown parameters, and projects that the token has no access to", async () => {
  const { acme, ask, list } = await team();
  const refused = async (query: Record<string, string>) =>
    (await ask("GET", `/tickets?${new URLSearchParams(query)}`)).body.error;
  assert.equal(await refused({ colour: "red" }), "invalid_input");
  assert.equal(await refused({ limit: "101" }), "invalid_input");
  assert.equal(await refused({ limit: "0" }), "invalid_input");
  assert.equal(await refused({ sort: "size" }), "invalid_input");
  assert.equal(await refused({ updatedSince: "yesterday" }), "invalid_input");
  assert.equal(await refused({ cursor: "x" }), "invalid_input");
  assert.equal(await refused({ projectId: acme.mobile.id }), "project_not_found");
  assert.equal(await refused({ boardId: acme.mobile.inbox.id }), "board_not_found");
  assert.equal(await refused({ projectId: randomUUID() }), "project_not_found");
  assert.deepEqual(await list(), { tickets: [], next: null });
});

test("labels are counted over the tickets that the token has access to", async () => {
  const { acme, ask, file } = await team();
  await file({ labels: ["ci", "flaky"] });
  await file({ labels: ["ci"] });
  await lodge.fileTicket(acme.tokens.mobile, { title: "t", labels: ["hidden"] });
  const { body } = await ask("GET", "/labels");
  const labels = body.labels as { name: string; color: string; tickets: number }[];
  assert.deepEqual(
    labels.map(({ name, tickets }) => [name, tickets]),
    [
      ["ci", 2],
      ["flaky", 1],
    ],
  );
  for (const { color } of labels) assert.match(color, /^#[0-9a-f]{6}$/);
  assert.equal((await ask("GET", `/labels?projectId=${acme.mobile.id}`)).body.error, "project_not_found");
});

test("changing and commenting require tickets:edit, and tickets without access are not found", async () => {
  const { acme, ask, file } = await team();
  const other = await team();
  const id = await file();
  const hidden = `${(await lodge.fileTicket(acme.tokens.mobile, { title: "t" })).body.id}`;
  const foreign = await other.file();
  for (const [method, path, body] of [
    ["PATCH", "", { title: "x" }],
    ["POST", "/comments", { text: "x" }],
  ] as const) {
    const unknown = await ask(method, `/tickets/${id}${path}`, body, { authorization: "Bearer none" });
    assert.deepEqual([unknown.status, unknown.body.error], [401, "invalid_api_token"]);
    const powerless = await ask(method, `/tickets/${id}${path}`, body, {}, acme.tokens.web);
    assert.deepEqual([powerless.status, powerless.body.required], [403, "tickets:edit"]);
    for (const missing of [hidden, foreign, randomUUID(), "MOBILE-1", "WEB-99", "x", "9".repeat(3_000)]) {
      const { status, body: refusal } = await ask(method, `/tickets/${missing}${path}`, body);
      assert.deepEqual([status, refusal.error], [404, "ticket_not_found"], missing.slice(0, 40));
    }
  }
});

test("a blank problem is refused as invalid input", async () => {
  const { bot } = await team();
  for (const problem of ["", " ", "\u200b"]) {
    const { status, body } = await lodge.fileTicket(bot, { title: "t", problem });
    assert.deepEqual([status, body.error], [400, "invalid_input"]);
  }
});
