import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { after, test } from "node:test";
import {
  changeTicket,
  createHook,
  deleteTicket,
  listActivities,
  listAudit,
  listCards,
  listImports,
  listLabels,
  listNotices,
  listTrash,
  restoreTickets,
  writeComment,
} from "@lodge/contract/calls.generated";
import type { CardImport, ImportPreview, UndoneImport } from "@lodge/contract/dashboard/imports";
import { csvBytesMax, csvRowsMax } from "@lodge/contract/limits";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { slowTest } from "../../testing/slow-test.ts";
import { startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { numberAllTickets } from "../tickets/number-tickets.ts";
import { readNames, writeLabels, writeRow } from "./csv-cells.ts";
import { readCsv } from "./read-csv.ts";
import { readDay } from "./read-day.ts";

const dayMs = 86_400_000;
const time = { now: new Date("2026-03-01T08:00:00Z") };
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(
  await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" }, { clock: { now: () => time.now } }),
);

/** An organisation with Ada, its owner, and the members Mel and Lin; and helpers to import and export its board. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const email = (name: string) => `${name}@${acme.slug}.test`;
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [
      { email: email("mel"), name: "Mel", role: "member" },
      { email: email("lin"), name: "Lin", role: "member" },
    ],
  });
  const [ada, mel, lin] = await Promise.all(["ada", "mel", "lin"].map((name) => signedIn(lodge, email(name))));
  assert.ok(ada && mel && lin);
  const boardId = acme.web.inbox.id;
  const post = (path: string, csv: string | Buffer, query: Record<string, string>, as: DashboardClient, key?: string) =>
    as("POST", `/boards/${boardId}${path}?${new URLSearchParams(query)}`, csv, {
      "content-type": "text/csv",
      ...(key !== undefined && { "idempotency-key": key }),
    });
  const preview = async (csv: string | Buffer, query = {}, as = mel) => post("/imports/preview", csv, query, as);
  const send = (csv: string | Buffer, { query = {}, as = mel, key = randomUUID() as string } = {}) =>
    post("/imports", csv, { filename: "plan.csv", ...query }, as, key);
  const imported = async (...input: Parameters<typeof send>) => {
    const { status, text, body } = await send(...input);
    assert.equal(status, 201, text);
    return body as unknown as CardImport;
  };
  const undo = async (id: string, as = mel) => as("POST", `/imports/${id}/undo`);
  const cards = async (columnId = acme.web.inbox.backlogId) =>
    (await mel.call(listCards, { params: { columnId }, query: {} })).cards;
  const exported = async (query = {}, as = mel) =>
    as("GET", `/boards/${boardId}/cards.csv?${new URLSearchParams(query)}`);
  return { acme, boardId, ada, mel, lin, email, preview, send, imported, undo, cards, exported };
}

const details = (body: Record<string, unknown>) =>
  (body.details as { path: string; message: string }[]).map(({ path, message }) => `${path}: ${message}`);

test("an exported board can be imported unchanged: texts, columns, priorities, labels, assignees and dates", async () => {
  const { acme, email, imported, cards, exported, undo } = await team();
  const odd = 'He said "no", \'=1+1\n\tand\r\nwent';
  const csv =
    writeRow(["Title", "Description", "Column", "Priority", "Labels", "Assignee", "Starts", "Due"]) +
    writeRow(["=cmd()", odd, "doing", "high", 'bug, "a, b"', email("lin").toUpperCase(), "2026-03-01", "2026-03-02"]) +
    writeRow(["'-quoted", "-1", "Backlog", "", "", "Lin", "", ""]) +
    writeRow(["Été 漢字 🎉", "", "", "low", "", "", "", "2026-12-31"]);
  const { id, cardCount, unassigned } = await imported(csv);
  assert.deepEqual([cardCount, unassigned], [3, { count: 0, names: [] }]);
  await numberAllTickets(lodge.deps);
  const first = await exported();
  assert.match(first.headers.get("content-disposition") ?? "", /attachment; filename="Inbox.csv"/);
  assert.equal(first.headers.get("content-type"), "text/csv; charset=utf-8");
  const { header, rows } = await readCsv(Buffer.from(first.text));
  assert.deepEqual(
    header.join(),
    "number,title,description,column,priority,labels,assignee,starts,due,created,updated,done,author,url",
  );
  assert.deepEqual(
    rows.map(({ cells }) => cells.slice(0, 9)),
    [
      ["WEB-2", "'-quoted", "-1", "Backlog", "none", "", email("lin"), "", ""],
      ["WEB-3", "Été 漢字 🎉", "", "Backlog", "low", "", "", "", "2026-12-31"],
      ["WEB-1", "=cmd()", odd, "Doing", "high", 'bug, "a, b"', email("lin"), "2026-03-01", "2026-03-02"],
    ],
  );
  assert.match(first.text, /^WEB-2,''-quoted,'-1,/m, "cells are escaped so that a spreadsheet does not run them");
  assert.match(first.text, /^WEB-1,'=cmd\(\),/m);
  assert.deepEqual(rows[0]?.cells.slice(9), [
    time.now.toISOString(),
    rows[0]?.cells[10],
    "",
    "Mel",
    `${lodge.deps.urls.base}/tickets/${(await cards())[0]?.id}`,
  ]);

  await undo(id);
  await imported(first.text);
  const again = await readCsv(Buffer.from((await exported()).text));
  const kept = (file: typeof again) => file.rows.map(({ cells }) => cells.slice(1, 9));
  assert.deepEqual(kept(again), kept({ header, rows }));
  assert.equal((await cards(acme.web.inbox.doingId)).length, 1);
});

test("an export contains the cards that the board's filter shows, any number of them, without archived ones", async () => {
  const { acme, mel, ada, imported, exported, cards } = await team();
  const titles = Array.from({ length: 250 }, (_, index) => `Card ${index}`);
  await imported(
    `title,priority\n${titles.map((title, index) => `${title},${index % 2 ? "high" : "low"}`).join("\n")}`,
  );
  const titlesOf = async (query = {}) =>
    (await readCsv(Buffer.from((await exported(query)).text))).rows.map(({ cells }) => cells[1]);
  assert.deepEqual(await titlesOf(), titles);
  assert.deepEqual(await titlesOf({ text: "card 24" }), ["Card 24", ...titles.slice(240)]);
  assert.equal((await titlesOf({ priority: "high" })).length, 125);
  const [first] = await cards();
  await ada.call(changeTicket, { params: { ticketId: first?.id ?? "" }, body: { archived: true } });
  assert.deepEqual(await titlesOf(), titles.slice(1));
  const none = await exported({ label: "no such label" });
  assert.deepEqual([none.status, none.text.split("\r\n").length], [200, 2], "only the header");
  assert.equal((await exported({ due: "soon" })).status, 400);
  assert.equal((await mel("GET", `/boards/${acme.web.later.id}/cards.csv`)).text.split("\r\n").length, 2);
});

test("each imported card has a history entry, and nobody is notified", async () => {
  const { mel, lin, ada, imported, cards, email } = await team();
  const { createdBy } = await imported(`summary,assignee\nFirst,${email("lin")}\nSecond,Lin\n`, { as: mel });
  assert.equal(createdBy.name, "Mel");
  const [card, below] = await cards();
  assert.deepEqual([card?.title, below?.title, card?.assignee?.name], ["First", "Second", "Lin"]);
  const params = { ticketId: card?.id ?? "" };
  const { activities } = await mel.call(listActivities, { params, query: {} });
  assert.deepEqual(
    activities.map(({ kind, actor, filename }) => [kind, actor.name, filename]),
    [["ticket.filed", "Mel", "plan.csv"]],
  );
  assert.deepEqual((await lin.call(listNotices, { query: {} })).notices, []);
  const [entry] = (await ada.call(listAudit, { query: {} })).entries;
  assert.deepEqual([entry?.kind, entry?.details], ["tickets.imported", { file: "plan.csv", cards: 2 }]);
});

test("an import triggers no webhooks; later changes of its cards do", async () => {
  const { acme, ada, imported, cards } = await team();
  const ticketTypes = ["ticket.created" as const, "ticket.changed" as const];
  await ada.call(createHook, { body: { url: "http://127.0.0.1:9/hook", ticketTypes } });
  await imported("title\nQuiet\n");
  const notedChanges = async () =>
    (await lodge.deps.pool.query("select kind from ticket_changes where organisation_id = $1", [acme.id])).rows;
  assert.deepEqual(await notedChanges(), []);
  const [card] = await cards();
  await ada.call(changeTicket, { params: { ticketId: card?.id ?? "" }, body: { title: "Loud" } });
  assert.equal((await notedChanges()).length > 0, true);
});

test("headers of Trello, Jira, GitHub and Linear are recognised", async () => {
  const { preview, imported, cards } = await team();
  const fieldsOf = async (csv: string) =>
    ((await preview(csv)).body as unknown as ImportPreview).columns.map(({ field }) => field);
  const trello = "Card ID,Card Name,Card URL,Card Description,Labels,Members,Due Date,List Name,Start Date\n";
  assert.deepEqual(await fieldsOf(`${trello}1,x,,,,,,,\n`), [
    ...[null, "title", null, "description", "labels", "assignee", "dueAt", "column", "startsAt"],
  ]);
  assert.deepEqual(
    await fieldsOf("Summary,Issue key,Status,Priority,Assignee,Due date,Labels,Labels,Description\nx\n"),
    [...["title", null, "column", "priority", "assignee", "dueAt", "labels", "labels", "description"]],
  );
  assert.deepEqual(await fieldsOf("Title\tURL\tAssignees\tStatus\tLabels\nx\n"), [
    ...["title", null, "assignee", "column", "labels"],
  ]);
  assert.deepEqual(await fieldsOf("ID;Title;Description;Status;Priority;Assignee;Labels;Created;Due Date\n1;x\n"), [
    ...[null, "title", "description", "column", "priority", "assignee", "labels", null, "dueAt"],
  ]);
  await imported(
    `${trello}1,Ship it,https://t.test,,"Bug (red), Urgent (green_dark)",Lin (lin1),2026-05-01T10:00:00.000Z,doing,\n`,
    { query: { unknownLabel: "create" } },
  );
  assert.deepEqual(await cards(), [], "the card is in the column that its list names");
});

test("every unambiguous date format is read", () => {
  const day = "2026-03-01";
  for (const text of [day, `${day}T10:00:00Z`, `${day} 10:00`, "01/Mar/26 9:30 AM", "1-Mar-2026", "Mar 1, 2026"]) {
    assert.equal(readDay(text), day, text);
  }
  assert.equal(readDay("Sun Mar 01 2026 09:37:39 GMT+0000 (GMT)"), day);
  for (const text of ["01/02/2026", "2026-02-30", "30/Feb/26", "soon", "2026", "March"]) {
    assert.equal(readDay(text), undefined, text);
  }
});

test("labels written to a cell are read back unchanged", () => {
  for (const labels of [["a", "b"], ['say "x"', "a, b"], ['"', "c"], []]) {
    assert.deepEqual(readNames(writeLabels(labels)), labels);
  }
  assert.deepEqual(readNames(" bug ,, ui,"), ["bug", "ui"]);
});

test("every invalid line is reported, and nothing is imported", async () => {
  const { preview, send, cards } = await team();
  const long = "x".repeat(201);
  const csv = [
    "Title,Priority,Starts,Due,Labels,Column",
    ",,,,,",
    ",high,,,,",
    `${long},,,,,`,
    "a,whatever,,,,",
    "b,,,01/02/2026,,",
    "c,,2026-02-02,2026-02-01,,",
    `d,,,,"${Array.from({ length: 21 }, (_, n) => `l${n}`).join()}",`,
    `e,,,,${"y".repeat(51)},`,
    "f,,,,,,,more",
    '"g\n",,,,,Somewhere',
    "h,,,,,",
  ].join("\n");
  const expected = [
    "/lines/3: The title is empty.",
    "/lines/4: The title must have at most 200 characters.",
    "/lines/5: The priority “whatever” is not none, low, medium or high.",
    "/lines/6: The due date “01/02/2026” is not a date like 2026-03-31.",
    "/lines/7: The start date is later than the due date.",
    "/lines/8: The labels must have at most 20 entries.",
    "/lines/9: The labels must have at most 50 characters.",
    "/lines/10: It has 8 cells, but the header has 6.",
    "/lines/11: The board has no column “Somewhere”.",
  ];
  const query = { unknownColumn: "refuse" };
  const refused = await send(csv, { query });
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_csv"]);
  assert.deepEqual(details(refused.body), expected);
  const { problemCount, problems, rowCount } = (await preview(csv, query)).body as unknown as ImportPreview;
  assert.deepEqual([problemCount, rowCount], [9, 10], "empty rows do not count");
  assert.deepEqual(
    problems.map(({ line, message }) => `/lines/${line}: ${message}`),
    expected,
  );
  assert.deepEqual(await cards(), []);
  const untitled = await send("Name of it\nx\n");
  assert.deepEqual(details(untitled.body), ["/lines/1: No column is mapped to the title."]);
});

test("missing labels, columns and people are created, left out or refused, as the person chooses", async () => {
  const { ada, preview, send, imported, cards, email } = await team();
  await imported("title,labels\nKnown,bug\n");
  const agent = (await lodge.deps.pool.query("select email from users where email like $1", ["agent@%"])).rows[0].email;
  const csv = `title,column,labels,assignee\na,Nowhere,"bug, ui",zoe@x.test\nb,,,${agent}\nc,DOING,,${email("mel")}\n`;
  const plan = (await preview(csv)).body as unknown as ImportPreview;
  assert.deepEqual(plan.newColumns, { count: 1, names: ["Nowhere"] });
  assert.deepEqual(plan.newLabels, { count: 1, names: ["ui"] });
  assert.deepEqual(plan.newPeople, { count: 2, names: ["zoe@x.test", agent] }, "a file starts no runs of the agent");
  assert.equal(plan.problemCount, 0);
  for (const [query, message] of [
    [{ unknownColumn: "refuse" }, "/lines/2: The board has no column “Nowhere”."],
    [{ unknownLabel: "refuse" }, "/lines/2: There is no label “ui”."],
    [{ unknownAssignee: "refuse" }, "/lines/2: “zoe@x.test” is not a member."],
  ] as const) {
    assert.equal(details((await send(csv, { query })).body)[0], message);
  }
  const labels = async () => (await ada.call(listLabels)).labels.map(({ name }) => name);
  await imported(csv, { query: { unknownLabel: "skip" } });
  assert.deepEqual(await labels(), ["bug"]);
  assert.deepEqual((await cards()).map(({ title, labels }) => [title, labels]).slice(0, 2), [
    ["a", ["bug"]],
    ["b", []],
  ]);
  const { unassigned } = await imported(csv);
  assert.deepEqual(
    [unassigned.names, await labels()],
    [
      ["zoe@x.test", agent],
      ["bug", "ui"],
    ],
  );
  const mapped = await imported("What,Why\nTitle,Because\n", { query: { fields: "title," } });
  assert.equal(mapped.cardCount, 1);
  for (const fields of ["title", "title,title", "title,nonsense", "title,,"]) {
    assert.equal((await send("What,Why\nx,y\n", { query: { fields } })).body.error, "invalid_input", fields);
  }
});

test("broken, hostile and oversized files are refused with the reason", async () => {
  const { preview, send, cards } = await team();
  const refusals: [string, string | Buffer, RegExp][] = [
    ["nothing", "", /: The file is empty/],
    ["a header alone", "title\n", /has a header, but no rows/],
    ["UTF-16", Buffer.from("\ufefftitle\nx\n", "utf16le"), /UTF-16/],
    ["NUL", "title\nx\na\0b\n", /lines\/3: .*NUL/],
    ["Latin-1", Buffer.from("title\nÉté\n", "latin1"), /UTF-8/],
    ["an open quote", 'title\nx\n"y\nz\n', /lines\/\d: A quote that opens/],
    ["a quote within", 'title\nx "y" z\n', /lines\/2: A cell has a quote/],
    ["a quote too early", 'title\n"x" y\n', /lines\/2: A cell has text after/],
    ["a million columns", `${",".repeat(1_000_000)}\n`, /more than 200 columns/],
    ["a million cells", `title\n${",".repeat(1_000_000)}\n`, /longer than 256 KiB|more than 200 cells/],
    ["a cell of 10 MB", `title\n${"x".repeat(csvBytesMax - 10)}`, /lines\/2: .*longer than 256 KiB/],
    ["an open quote of 10 MB", `title\n"${"x\n".repeat(4_000_000)}`, /lines\/2: .*closing quote may be missing/],
    ["too many rows", `title\n${"x\n".repeat(csvRowsMax + 1)}`, /more than 10000 rows/],
    ["too many labels", `title,labels\n${Array.from({ length: 501 }, (_, n) => `x,l${n}`).join("\n")}`, /501 labels/],
  ];
  for (const [name, csv, message] of refusals) {
    const { status, body } = await send(csv);
    assert.deepEqual([status, body.error], [400, "invalid_csv"], name);
    assert.match(details(body).join(), message, name);
  }
  const tooLarge = await preview("x".repeat(csvBytesMax + 1));
  assert.deepEqual([tooLarge.status, tooLarge.body.error], [400, "invalid_input"]);
  assert.deepEqual(await cards(), []);
  assert.equal((await send("\ufefftitle\r\n\r\nx\r\n")).status, 201, "a byte order mark and empty lines do no harm");
});

test("an import with one key happens once, however many concurrent requests are sent", async () => {
  const { imported, send, cards, mel, boardId, lin } = await team();
  const key = randomUUID();
  const csv = "title\nOnce\n";
  const answers = await Promise.all([imported(csv, { key }), imported(csv, { key }), imported(csv, { key })]);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  assert.deepEqual(await imported("title\nOther\n", { key }), answers[0], "a repeated key gets the first response");
  assert.equal((await cards()).length, 1);
  assert.notEqual((await imported(csv, { key, as: lin })).id, answers[0]?.id, "keys belong to the person");
  assert.equal((await cards()).length, 2);
  const params = new URLSearchParams({ filename: "x.csv" });
  const keyless = await mel("POST", `/boards/${boardId}/imports?${params}`, csv, { "content-type": "text/csv" });
  assert.equal(keyless.body.error, "invalid_idempotency_key");
  assert.equal((await send(csv, { key: "x".repeat(256) })).body.error, "invalid_idempotency_key");
});

test("an import whose connection is lost completes, and a retry returns it", async () => {
  const { boardId, mel, imported, cards } = await team();
  const key = randomUUID();
  const csv = `title\n${"Card\n".repeat(1_500)}`;
  // The client disconnects as soon as it has sent the file, before the response.
  const sent = httpRequest(`${lodge.url}/api/dashboard/boards/${boardId}/imports?filename=a.csv`, {
    method: "POST",
    headers: {
      "content-type": "text/csv",
      "content-length": csv.length,
      "idempotency-key": key,
      origin: new URL(lodge.url).origin,
      cookie: [...mel.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    },
  });
  sent.on("error", () => {});
  sent.end(csv, () => sent.destroy());
  const [again] = await Promise.all([imported(csv, { key }), imported(csv, { key })]);
  assert.equal(again.cardCount, 1_500);
  const { rows } = await lodge.deps.pool.query("select count(*)::int as n from tickets where column_id = $1", [
    (await cards())[0]?.columnId,
  ]);
  assert.equal(rows[0].n, 1_500);
});

test("an import that fails halfway leaves nothing, and its key can be used again", async () => {
  const { acme, imported, send, cards, mel, boardId } = await team();
  await lodge.deps.pool.query(`
    create function fail_late() returns trigger language plpgsql as $$
    begin
      if new.title = 'The last' then raise exception 'no'; end if;
      return new;
    end $$;
    create trigger fail_late before insert on tickets for each row execute function fail_late()`);
  const key = randomUUID();
  const csv = `title,labels\n${"Card,fresh\n".repeat(700)}The last,fresh\n`;
  assert.equal((await send(csv, { key })).status, 500);
  assert.deepEqual(await cards(), []);
  assert.deepEqual((await mel.call(listImports, { params: { boardId } })).imports, []);
  const { rows } = await lodge.deps.pool.query("select from labels where organisation_id = $1", [acme.id]);
  assert.equal(rows.length, 0);
  await lodge.deps.pool.query("drop trigger fail_late on tickets");
  assert.equal((await imported(csv, { key })).cardCount, 701);
});

test("undoing an import moves its cards to the trash, except those that somebody has changed", async () => {
  const { acme, boardId, ada, mel, lin, imported, undo, cards } = await team();
  const { id } = await imported("title\nKept\nCommented\nDeleted\nPlain\nDone by Lodge\n");
  const byTitle = async (title: string) => (await cards()).find((card) => card.title === title)?.id ?? "";
  const [kept, commented, deleted, plain, swept] = await Promise.all(
    ["Kept", "Commented", "Deleted", "Plain", "Done by Lodge"].map(byTitle),
  );
  assert.ok(kept && commented && deleted && plain && swept);
  await ada.call(changeTicket, { params: { ticketId: kept }, body: { priority: "high" } });
  await lin.call(writeComment, { params: { ticketId: commented }, body: { text: "Look" } });
  await ada.call(deleteTicket, { params: { ticketId: deleted } });
  await lodge.deps.pool.query(
    `insert into ticket_activities (organisation_id, ticket_id, kind, actor_name) values ($1, $2, 'ticket.archived', 'Lodge')`,
    [acme.id, swept],
  );

  assert.equal((await undo(id, lin)).body.error, "forbidden", "the import is another member's");
  const [undone, twice] = await Promise.all([undo(id), undo(id, ada)]);
  const { deletedCount, keptCount, kept: named } = undone.body as unknown as UndoneImport;
  assert.deepEqual(
    [deletedCount, keptCount, new Set(named.map(({ title }) => title))],
    [2, 2, new Set(["Kept", "Commented"])],
  );
  assert.deepEqual(twice.body, undone.body, "an import is undone only once");
  assert.deepEqual(new Set((await cards()).map(({ title }) => title)), new Set(["Kept", "Commented"]));
  const trashed = (await mel.call(listTrash, { params: { projectId: acme.web.id }, query: {} })).tickets;
  assert.deepEqual(new Set(trashed.map(({ id: ticketId }) => ticketId)), new Set([deleted, plain, swept]));
  await mel.call(restoreTickets, { body: { ticketIds: [plain] } });
  assert.equal((await undo(id)).status, 200);
  assert.equal((await cards()).length, 3, "restored cards stay");
  const [listed] = (await mel.call(listImports, { params: { boardId } })).imports;
  assert.deepEqual([listed?.id, listed?.undone, listed?.undoneAt], [id, undone.body, time.now.toISOString()]);
  const entries = (await ada.call(listAudit, { query: {} })).entries.map(({ kind, details }) => [kind, details]);
  assert.deepEqual(entries[0], ["tickets.import_undone", { file: "plan.csv", cards: 2, kept: 2 }]);
});

test("an import can be undone for 30 days, and the next import deletes its record", async () => {
  const { boardId, ada, mel, imported, undo } = await team();
  const before = time.now;
  const { id } = await imported("title\nOld\n");
  time.now = new Date(before.getTime() + 30 * dayMs + 1);
  const list = async (as: DashboardClient) => (await as.call(listImports, { params: { boardId } })).imports;
  const [laterMel, laterAda] = await Promise.all(
    [mel, ada].map(async (client) => {
      // Their sessions have expired.
      await lodge.deps.pool.query("update sessions set expires_at = $1", [new Date(time.now.getTime() + dayMs)]);
      return client;
    }),
  );
  assert.ok(laterMel && laterAda);
  assert.deepEqual(await list(laterMel), []);
  assert.equal((await undo(id, laterAda)).body.error, "import_not_found");
  await imported("title\nNew\n");
  const { rows } = await lodge.deps.pool.query("select from ticket_imports where id = $1", [id]);
  assert.equal(rows.length, 0);
  time.now = before;
});

test("boards and imports of another organisation are not found", async () => {
  const { boardId, imported, exported, preview, send, undo, cards } = await team();
  const { id } = await imported("title\nOurs\n");
  const { lin: eve } = await team();
  const missing = randomUUID();
  for (const answer of [
    await exported({}, eve),
    await preview("title\nx\n", {}, eve),
    await send("title\nx\n", { as: eve }),
    await eve("GET", `/boards/${boardId}/imports`),
    await eve("GET", `/boards/${missing}/cards.csv`),
  ]) {
    assert.deepEqual([answer.status, answer.body.error], [404, "board_not_found"]);
  }
  assert.deepEqual((await undo(id, eve)).body, (await undo(missing, eve)).body);
  assert.equal((await undo(id, eve)).body.error, "import_not_found");
  assert.equal((await cards()).length, 1);
});

slowTest("an import with the maximum number of rows is complete and in the order of the file", async () => {
  const { acme, imported, exported, undo } = await team();
  const titles = Array.from({ length: csvRowsMax }, (_, index) => `Row ${index}`);
  const { id, cardCount } = await imported(`title\n${titles.join("\n")}`);
  assert.equal(cardCount, csvRowsMax);
  const { rows } = await readCsv(Buffer.from((await exported()).text));
  assert.deepEqual(
    rows.map(({ cells }) => cells[1]),
    titles,
  );
  const numbered = async () => {
    await numberAllTickets(lodge.deps);
    const { rows: found } = await lodge.deps.pool.query(
      "select count(*)::int as n from ticket_numbers where organisation_id = $1",
      [acme.id],
    );
    return found[0].n === csvRowsMax;
  };
  await until(numbered);
  const undone = (await undo(id)).body as unknown as UndoneImport;
  assert.deepEqual([undone.deletedCount, undone.keptCount], [csvRowsMax, 0]);
});
