import assert from "node:assert/strict";
import { test } from "node:test";
import { changeBoardView, deleteBoardView, listBoardViews, saveBoardView } from "@lodge/contract/calls.generated";
import type { BoardView } from "@lodge/contract/dashboard/boards";
import { boardViewsMax } from "@lodge/contract/limits";
import { type DashboardClient, signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";

type Named = { id: string; name: string };
type Cards = { cards: (Named & { title: string; position: string })[]; cardCount: number; nextCursor: string | null };
type Board = { columns: (Named & Cards)[] };

async function ok<T>(client: DashboardClient, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await client(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body as T;
}
const projectNames = async (client: DashboardClient) =>
  (await ok<{ projects: Named[] }>(client, "GET", "/projects")).projects.map(({ name }) => name);
const boardNames = async (client: DashboardClient, projectId: string) =>
  (await ok<{ projects: { id: string; boards: Named[] }[] }>(client, "GET", "/projects")).projects
    .find(({ id }) => id === projectId)
    ?.boards.map(({ name }) => name);
const columnNames = async (client: DashboardClient, boardId: string) =>
  (await ok<Board>(client, "GET", `/boards/${boardId}`)).columns.map(({ name }) => name);

test("projects are listed with their boards and repositories, and can be created, renamed, reordered and deleted", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const admin = await signedIn(lodge, "grace@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  const { projects } = (await mel("GET", "/projects")).body as { projects: Record<string, unknown>[] };
  const [web] = acme.projects;
  assert.deepEqual(projects[0], {
    id: web?.id,
    name: "Web",
    slug: "web",
    boards: [{ id: web?.boards[0]?.id, name: "Inbox" }],
    repositories: [{ id: web?.repositories[0]?.id, name: "web", url: "https://git.example.test/web.git" }],
  });

  const made = await ok<Named & { slug: string }>(admin, "POST", "/projects", { name: "Wéb!" });
  assert.equal(made.slug, "web-2", "the slug is unique");
  assert.deepEqual(await projectNames(mel), ["Web", "Mobile", "Wéb!"]);
  await ok(admin, "PATCH", `/projects/${made.id}`, { name: "Desktop", index: 0 });
  assert.deepEqual(await projectNames(mel), ["Desktop", "Web", "Mobile"]);
  await ok(admin, "PATCH", `/projects/${made.id}`, { index: 10_000 });
  assert.deepEqual(await projectNames(mel), ["Web", "Mobile", "Desktop"]);
  await ok(admin, "DELETE", `/projects/${made.id}`);
  assert.deepEqual(await projectNames(mel), ["Web", "Mobile"]);

  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  assert.equal((await admin("DELETE", `/projects/${web?.id}`)).body.error, "not_empty");
  for (const [method, path, body] of [
    ["POST", "/projects", { name: "Mine" }],
    ["PATCH", `/projects/${web?.id}`, { name: "Mine" }],
    ["DELETE", `/projects/${web?.id}`, undefined],
  ] as const) {
    assert.equal((await mel(method, path, body)).body.error, "forbidden");
  }
  for (const body of [{}, { name: "" }, { index: -1 }, { index: 1.5 }, { slug: "x" }]) {
    assert.equal((await admin("PATCH", `/projects/${web?.id}`, body)).body.error, "invalid_input");
  }
});

test("boards and columns can be created, renamed, reordered, and, if empty, deleted", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const projectId = acme.projects[0]?.id ?? "";
  const board = await ok<Named>(mel, "POST", "/boards", { projectId, name: "Sprint" });
  assert.deepEqual(await boardNames(mel, projectId), ["Inbox", "Sprint"]);
  assert.deepEqual(await columnNames(mel, board.id), ["To do", "Doing", "Done"]);
  assert.deepEqual(await ok(mel, "PATCH", `/boards/${board.id}`, { name: "Sprint 1", index: 0 }), {
    id: board.id,
    name: "Sprint 1",
  });
  assert.deepEqual(await boardNames(mel, projectId), ["Sprint 1", "Inbox"]);

  const column = await ok<Named>(mel, "POST", "/columns", { boardId: board.id, name: "Review" });
  assert.deepEqual(await columnNames(mel, board.id), ["To do", "Doing", "Done", "Review"]);
  await ok(mel, "PATCH", `/columns/${column.id}`, { name: "In review", index: 2 });
  assert.deepEqual(await columnNames(mel, board.id), ["To do", "Doing", "In review", "Done"]);
  await ok(mel, "POST", "/tickets", { title: "t", columnId: column.id });
  assert.equal((await mel("DELETE", `/columns/${column.id}`)).body.error, "not_empty");
  assert.equal((await mel("DELETE", `/boards/${board.id}`)).body.error, "not_empty");

  const other = await ok<Named>(mel, "POST", "/boards", { projectId, name: "Small", columns: ["One", "Two"] });
  const { columns } = await ok<Board>(mel, "GET", `/boards/${other.id}`);
  await ok(mel, "DELETE", `/columns/${columns[0]?.id}`);
  assert.equal((await mel("DELETE", `/columns/${columns[0]?.id}`)).body.error, "column_not_found");
  assert.equal((await mel("DELETE", `/columns/${columns[1]?.id}`)).body.error, "last_column");
  await ok(mel, "DELETE", `/boards/${other.id}`);
  assert.equal((await mel("GET", `/boards/${other.id}`)).body.error, "board_not_found");
});

test("a board has at most 100 columns, even if twelve people add one at the same time", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const projectId = acme.projects[0]?.id;
  const columns = Array.from({ length: 95 }, (_, index) => `Column ${index}`);
  const { id: boardId } = await ok<Named>(mel, "POST", "/boards", { projectId, name: "Wide", columns });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => mel("POST", "/columns", { boardId, name: "More" })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 5);
  assert.ok(answers.every(({ status, body }) => status === 201 || body.error === "too_many"));
});

test("many people who reorder projects, boards and columns at the same time all succeed", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const projectId = acme.projects[0]?.id ?? "";
  const columnIds = acme.projects[0]?.boards[0]?.columns.map(({ id }) => id) ?? [];
  const boardIds = [];
  for (const name of ["A", "B", "C", "D"])
    boardIds.push((await ok<Named>(ada, "POST", "/boards", { projectId, name })).id);
  const paths = [
    ...boardIds.map((id) => `/boards/${id}`),
    ...columnIds.map((id) => `/columns/${id}`),
    ...acme.projects.map(({ id }) => `/projects/${id}`),
  ];
  for (let round = 0; round < 5; round++) {
    await Promise.all(paths.map((path, place) => ok(ada, "PATCH", path, { index: (place * 7 + round) % 4 })));
  }
  assert.deepEqual((await boardNames(ada, projectId))?.sort(), ["A", "B", "C", "D", "Inbox"]);
  const { rows } = await lodge.deps.pool.query(
    "select count(*) as boards, count(distinct position) as places from boards where project_id = $1",
    [projectId],
  );
  assert.deepEqual(rows, [{ boards: 5, places: 5 }]);
});

test("deleting a column never deletes a ticket that is being filed into it", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const boardId = acme.projects[1]?.boards[0]?.id;
  for (let round = 0; round < 10; round++) {
    const column = await ok<Named>(ada, "POST", "/columns", { boardId, name: "Short-lived" });
    const [deleted, ...filed] = await Promise.all([
      ada("DELETE", `/columns/${column.id}`),
      ada("POST", "/tickets", { title: "t", columnId: column.id }),
      ada("POST", "/tickets", { title: "t", columnId: column.id }),
    ]);
    for (const { status, body } of filed) {
      if (status === 201) {
        assert.equal(deleted.body.error, "not_empty");
        assert.equal((await ada("GET", `/tickets/${body.id}`)).status, 200);
      } else {
        assert.equal(body.error, "column_not_found");
      }
    }
  }
});

test("the cards of a column are paged without gaps or duplicates while others are filed", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "1000" });
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const { id: boardId = "", columns = [] } = acme.projects[0]?.boards[0] ?? {};
  const secret = acme.tokens[0]?.secret;
  for (let number = 1; number <= 120; number++) await lodge.fileTicket(secret, { title: `${number}` });

  const board = await ok<Board>(mel, "GET", `/boards/${boardId}`);
  assert.deepEqual(
    board.columns.map(({ name, cardCount }) => [name, cardCount]),
    [
      ["Backlog", 120],
      ["Doing", 0],
      ["Done", 0],
    ],
  );
  const titles: string[] = [];
  let page: Cards | undefined = board.columns[0];
  while (page) {
    assert.ok(page.cards.length <= 50);
    titles.push(...page.cards.map(({ title }) => title));
    await lodge.fileTicket(secret, { title: "later" });
    const { nextCursor }: Cards = page;
    page =
      nextCursor === null
        ? undefined
        : await ok<Cards>(mel, "GET", `/columns/${columns[0]?.id}/cards?cursor=${nextCursor}`);
  }
  assert.deepEqual(
    titles,
    Array.from({ length: 120 }, (_, index) => `${120 - index}`),
    "new cards are on top",
  );
  assert.equal((await mel("GET", `/columns/${columns[0]?.id}/cards?cursor=nonsense`)).body.error, "invalid_input");
});

test("the cards of a column are sorted by priority, due date or age, filtered, and paged", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const eve = await signedIn(lodge, "eve@umbra.test");
  const columnId = acme.projects[0]?.boards[0]?.columns[0]?.id ?? "";
  const { rows } = await lodge.deps.pool.query("select id from organisations where slug = 'acme'");
  // 120 cards, filed and changed at one-minute intervals; the column has them in reverse order.
  await lodge.deps.pool.query(
    `insert into tickets (organisation_id, id, column_id, position, title, author_name, priority, due_at, created_at, updated_at, done_at)
     select $1, gen_random_uuid(), $2, lpad((1000 - n)::text, 8, '0'), 'Card ' || n, 'Mel',
       (array['none', 'low', 'medium', 'high'])[n % 4 + 1], case when n % 3 = 0 then date '2026-06-01' - n / 3 end,
       timestamptz '2026-01-01' + n * interval '1 minute', timestamptz '2026-02-01' - n * interval '1 minute',
       case when n % 10 = 0 then timestamptz '2026-03-01' end
     from generate_series(1, 120) n`,
    [rows[0].id, columnId],
  );
  const all = async (query: string) => {
    const numbers: number[] = [];
    for (let cursor = ""; ; ) {
      const page = await ok<Cards>(mel, "GET", `/columns/${columnId}/cards?${query}${cursor}`);
      numbers.push(...page.cards.map(({ title }) => Number(title.slice("Card ".length))));
      if (page.nextCursor === null) return { numbers, cardCount: page.cardCount };
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  const upwards = Array.from({ length: 120 }, (_, index) => index + 1);
  const downwards = upwards.toReversed();
  const ofRest = (rest: number) => upwards.filter((n) => n % 4 === rest);
  const byPriority = [3, 2, 1, 0].flatMap(ofRest);
  assert.deepEqual(await all(""), { numbers: upwards, cardCount: 120 });
  assert.deepEqual(await all("sort=createdAt"), { numbers: downwards, cardCount: 120 });
  assert.deepEqual((await all("sort=priority")).numbers, byPriority);
  const due = [...downwards.filter((n) => n % 3 === 0), ...downwards.filter((n) => n % 3 !== 0)];
  assert.deepEqual((await all("sort=dueAt")).numbers, due);
  const open = byPriority.filter((n) => n % 10 !== 0);
  assert.deepEqual(await all("sort=priority&open=true"), { numbers: open, cardCount: open.length });
  assert.deepEqual(
    (await all("sort=dueAt&priority=high")).numbers,
    due.filter((n) => n % 4 === 3),
  );
  assert.deepEqual((await all("sort=createdAt&text=card%2012")).numbers, [120, 12]);
  const page = await ok<Cards>(mel, "GET", `/columns/${columnId}/cards?sort=priority`);
  const path = `/columns/${columnId}/cards?cursor=${page.nextCursor}`;
  assert.equal((await mel("GET", `${path}&sort=dueAt`)).body.error, "invalid_input");
  assert.equal((await mel("GET", path)).body.error, "invalid_input");
  assert.equal((await mel("GET", `/columns/${columnId}/cards?sort=title`)).body.error, "invalid_input");
  assert.equal((await eve("GET", `/columns/${columnId}/cards?sort=priority`)).body.error, "column_not_found");
});

test("cards are filtered by text, assignee and priority", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const { id: boardId = "", columns = [] } = acme.projects[0]?.boards[0] ?? {};
  const columnId = columns[0]?.id;
  const melsId = acme.members[2]?.id;
  const file = (body: object) => ok(mel, "POST", "/tickets", { columnId, ...body });
  await file({ title: "Straße 100% red", priority: "high", assigneeUserId: melsId });
  await file({ title: "Green", description: "was RED_once" });
  await file({ title: "Blue", priority: "high" });
  const found = async (query: Record<string, string>) => {
    const search = new URLSearchParams(query);
    const { columns: shown } = await ok<Board>(mel, "GET", `/boards/${boardId}?${search}`);
    const page = await ok<Cards>(mel, "GET", `/columns/${columnId}/cards?${search}`);
    assert.deepEqual(page.cards, shown[0]?.cards);
    assert.equal(page.cardCount, page.cards.length);
    return page.cards.map(({ title }) => title.split(" ", 1)[0]);
  };
  assert.deepEqual(await found({ text: "red" }), ["Green", "Straße"]);
  assert.deepEqual(await found({ text: "STRASSE" }), []);
  assert.deepEqual(await found({ text: "straße 100%" }), ["Straße"]);
  assert.deepEqual(await found({ text: "d_o" }), ["Green"]);
  assert.deepEqual(await found({ text: "%" }), ["Straße"]);
  assert.deepEqual(await found({ priority: "high" }), ["Blue", "Straße"]);
  assert.deepEqual(await found({ assignee: "none" }), ["Blue", "Green"]);
  assert.deepEqual(await found({ assignee: melsId ?? "", priority: "high", text: "red" }), ["Straße"]);
  for (const query of ["assignee=me", "priority=urgent", "colour=red", "text=%00", `text=${"x".repeat(201)}`]) {
    assert.equal((await mel("GET", `/boards/${boardId}?${query}`)).body.error, "invalid_input", query);
  }
});

test("cards are filtered by author, label, date, and whether they are done", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const ada = await signedIn(lodge, "ada@acme.test");
  const { id: boardId = "", columns = [] } = acme.projects[0]?.boards[0] ?? {};
  const [backlog = "", , done = ""] = columns.map(({ id }) => id);
  await ok(mel, "PATCH", `/columns/${done}`, { isDone: true });
  const file = (client: DashboardClient, title: string, more: object = {}) =>
    ok(client, "POST", "/tickets", { columnId: backlog, title, ...more });
  await file(mel, "Mels", { labels: ["flaky", "ci"], dueAt: "2026-03-10" });
  await file(ada, "Adas", { labels: ["ci"], dueAt: "2026-03-12" });
  await file(ada, "Done", { columnId: done, dueAt: "2026-03-01" });
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Tokens" });
  await lodge.deps.pool.query("update tickets set created_at = '2020-01-01' where title = 'Adas'");
  const found = async (query: Record<string, string>) => {
    const { columns: shown } = await ok<Board>(mel, "GET", `/boards/${boardId}?${new URLSearchParams(query)}`);
    return shown
      .flatMap(({ cards }) => cards.map(({ title }) => title))
      .sort()
      .join(" ");
  };
  const [adasId = "", , melsId = ""] = acme.members.map(({ id }) => id);
  const [token] = acme.tokens;
  assert.equal(await found({ author: adasId }), "Adas Done");
  assert.equal(await found({ author: melsId.toUpperCase() }), "Mels");
  assert.equal(await found({ author: token?.id ?? "" }), "Tokens");
  assert.equal(await found({ author: "token" }), "Tokens");
  assert.equal(await found({ author: "person" }), "Adas Done Mels");
  assert.equal(await found({ author: "app" }), "");
  assert.equal(await found({ label: "ci" }), "Adas Mels");
  assert.equal(await found({ label: "ci", author: melsId }), "Mels");
  assert.equal(await found({ dueUntil: "2026-03-10" }), "Done Mels");
  assert.equal(await found({ dueUntil: "2026-03-10", open: "true" }), "Mels");
  assert.equal(await found({ dueFrom: "2026-03-02", dueUntil: "2026-03-12" }), "Adas Mels");
  assert.equal(await found({ createdFrom: "2021-01-01T00:00:00.000Z", text: "s" }), "Mels Tokens");
  assert.equal(await found({ createdFrom: "0000-01-01T00:00:00+23:59", text: "s" }), "Adas Mels Tokens");
  assert.equal(await found({ author: umbra.members[0]?.id ?? "" }), "");
  const leapSecond = "createdFrom=2016-12-31T23:59:60Z";
  for (const query of [
    "author=me",
    "dueFrom=2026-02-30",
    "dueUntil=soon",
    "createdFrom=today",
    leapSecond,
    "open=false",
  ]) {
    assert.equal((await mel("GET", `/boards/${boardId}?${query}`)).body.error, "invalid_input", query);
  }
  const { authors } = await ok<{ authors: Named[] }>(mel, "GET", "/authors");
  assert.deepEqual(authors, [{ kind: "token", id: token?.id, name: "CI" }]);
});

test("every board shows how many cards it has, and when one of them last changed", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const { id: boardId = "", columns = [] } = acme.projects[0]?.boards[0] ?? {};
  const [backlog = "", , done = ""] = columns.map(({ id }) => id);
  await ok(mel, "PATCH", `/columns/${done}`, { isDone: true });
  const titles = ["Archived", "Done", "Open"];
  const tickets = [];
  for (const title of titles) tickets.push(await ok<Named>(mel, "POST", "/tickets", { columnId: backlog, title }));
  const [archived, finished] = tickets;
  await ok(mel, "POST", `/tickets/${finished?.id}/move`, { columnId: done, belowTicketId: null });
  await ok(mel, "PATCH", `/tickets/${archived?.id}`, { archived: true });
  await ok(mel, "POST", `/tickets/${finished?.id}/comments`, { text: "Out" });
  const { rows } = await lodge.deps.pool.query<{ at: Date }>(
    "select max(created_at) as at from ticket_activities where ticket_id = $1",
    [finished?.id],
  );
  const { boards } = await ok<{ boards: object[] }>(mel, "GET", "/boards");
  assert.deepEqual(
    new Set(boards.map((board) => JSON.stringify(board))),
    new Set(
      [
        { id: boardId, cardCount: 2, openCardCount: 1, lastActivityAt: rows[0]?.at.toISOString() },
        { id: acme.projects[1]?.boards[0]?.id, cardCount: 0, openCardCount: 0, lastActivityAt: null },
      ].map((board) => JSON.stringify(board)),
    ),
  );
});

test("a board is compressed for clients that accept it; responses to changes are never compressed", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [board] = acme.projects[0]?.boards ?? [];
  const columnId = board?.columns[0]?.id ?? "";
  const ada = await signedIn(lodge, "ada@acme.test");
  const title = "The same words again and again ".repeat(6);
  for (let number = 0; number < 5; number++) await ada("POST", "/tickets", { columnId, title });
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const path = `/api/dashboard/boards/${board?.id}`;
  const plain = await lodge.request("GET", path, { headers: { cookie, "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  for (const encoding of ["br", "gzip"]) {
    const answer = await lodge.request("GET", path, { headers: { cookie, "accept-encoding": encoding } });
    assert.equal(answer.headers.get("content-encoding"), encoding);
    assert.equal(answer.headers.get("vary"), "accept-encoding");
    assert.ok(Number(answer.headers.get("content-length")) < plain.text.length / 3);
    assert.equal(answer.text, plain.text);
  }
  const filed = await ada("POST", "/tickets", { columnId, title, description: title.repeat(10) });
  assert.ok(filed.text.length > 1_000);
  assert.equal(filed.headers.get("content-encoding"), null);
});

test("members save filters of a board as named views, which only they see", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [mel, grace] = [await signedIn(lodge, "mel@acme.test"), await signedIn(lodge, "grace@acme.test")];
  const boardId = acme.projects[0]?.boards[0]?.id ?? "";
  const params = { boardId };
  const names = async (client: DashboardClient) => (await client.call(listBoardViews)).views.map(({ name }) => name);
  const filter = { assignee: "me", due: "week", open: true } as const;
  const saved = await mel.call(saveBoardView, { params, body: { name: "Mine", filter } });
  assert.deepEqual(saved, { id: saved.id, boardId, name: "Mine", filter, shared: false, isOwn: true });
  await mel.call(saveBoardView, { params, body: { name: "Broken builds", filter: { q: "build", author: "token" } } });
  assert.deepEqual(await names(mel), ["Broken builds", "Mine"]);
  assert.deepEqual(await names(grace), []);
  const again = await mel.call(saveBoardView, { params, body: { name: "Mine", filter: { q: "x" } } });
  assert.deepEqual([again.id, again.filter], [saved.id, { q: "x" }], "a view of the same name is replaced");
  const ofMine = { params: { viewId: saved.id } };
  const renamed = await mel.call(changeBoardView, { ...ofMine, body: { name: "My week" } });
  assert.deepEqual(renamed, { ...again, name: "My week" });
  assert.deepEqual(await mel.call(changeBoardView, { ...ofMine, body: { filter } }), { ...renamed, filter });
  const path = `/views/${saved.id}`;
  assert.equal((await mel("PATCH", path, { name: "Broken builds" })).body.error, "view_name_taken");
  assert.equal((await grace("PATCH", path, { name: "Hers" })).body.error, "view_not_found");
  for (const bad of [{}, { name: " " }, { filter: {} }, { filter: { due: "soon" } }]) {
    assert.equal((await mel("PATCH", path, bad)).body.error, "invalid_input", JSON.stringify(bad));
  }
  const forget = { params: { viewId: saved.id } };
  assert.equal((await grace("DELETE", `/views/${saved.id}`)).body.error, "view_not_found");
  await mel.call(deleteBoardView, forget);
  assert.deepEqual(await names(mel), ["Broken builds"]);
  for (const bad of [{}, { assignee: "somebody" }, { due: "soon" }, { open: false }, { q: "" }, { position: "1" }]) {
    const { body } = await mel("POST", `/boards/${boardId}/views`, { name: "Bad", filter: bad });
    assert.equal(body.error, "invalid_input", JSON.stringify(bad));
  }
  for (let number = 1; number < boardViewsMax; number++) {
    await mel.call(saveBoardView, { params, body: { name: `View ${number}`, filter: { q: "x" } } });
  }
  const body = { name: "One more", filter };
  assert.equal((await mel("POST", `/boards/${boardId}/views`, body)).body.error, "too_many");
  await mel.call(saveBoardView, { params, body: { name: "View 1", filter } });
  assert.equal((await ok<Board>(mel, "GET", `/boards/${boardId}`)).columns.length, 3);
  await ok(grace, "DELETE", `/boards/${boardId}`);
  assert.deepEqual(await names(mel), [], "views are deleted with their board");
});

test("all members see a shared view; only its owner and admins change it", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  const grace = await signedIn(lodge, "grace@acme.test");
  const eve = await signedIn(lodge, "eve@umbra.test");
  const boardId = acme.projects[0]?.boards[0]?.id ?? "";
  const views = async (client: DashboardClient) => (await client.call(listBoardViews)).views;
  const saved = await ok<BoardView>(mel, "POST", `/boards/${boardId}/views`, {
    name: "Broken builds",
    filter: { q: "build" },
    shared: true,
  });
  assert.deepEqual(
    (await views(grace)).map(({ name, isOwn }) => [name, isOwn]),
    [["Broken builds", false]],
  );
  assert.deepEqual(await views(eve), []);
  const path = `/views/${saved.id}`;
  assert.equal((await eve("PATCH", path, { shared: false })).body.error, "view_not_found");
  assert.equal((await eve("DELETE", path)).body.error, "view_not_found");
  const { rowCount } = await lodge.deps.pool.query(
    "update members set role = 'member' from users where users.id = user_id and email = 'grace@acme.test'",
  );
  assert.equal(rowCount, 1);
  assert.equal((await grace("PATCH", path, { name: "Hers" })).body.error, "view_not_found");
  assert.equal((await grace("DELETE", path)).body.error, "view_not_found");
  await ok(ada, "PATCH", path, { shared: false });
  assert.deepEqual(await views(grace), []);
  assert.equal((await ada("DELETE", path)).body.error, "view_not_found", "the view is private again");
});

test("a member's favourite boards are private to them", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [mel, grace, eve] = [
    await signedIn(lodge, "mel@acme.test"),
    await signedIn(lodge, "grace@acme.test"),
    await signedIn(lodge, "eve@umbra.test"),
  ];
  const boardId = acme.projects[0]?.boards[0]?.id ?? "";
  const favourites = async (client: DashboardClient) => (await client.call(listBoardViews)).favouriteBoardIds;
  const path = `/boards/${boardId}/favourite`;
  for (const favourite of [true, true]) await ok(mel, "PATCH", path, { favourite });
  assert.deepEqual(await favourites(mel), [boardId]);
  assert.deepEqual(await favourites(grace), []);
  assert.equal((await eve("PATCH", path, { favourite: true })).body.error, "board_not_found");
  await ok(mel, "PATCH", path, { favourite: false });
  assert.deepEqual(await favourites(mel), []);
});
