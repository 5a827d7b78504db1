import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  changeBoard,
  changeColumn,
  changeTicket,
  changeTickets,
  createBoard,
  deleteBoard,
  deleteColumn,
  deleteProject,
  deleteTicket,
  deleteTickets,
  listActivities,
  listArchive,
  listCards,
  listLabels,
  moveTicket,
  viewBoard,
} from "@lodge/contract/calls.generated";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { begin } from "../../testing/begin.ts";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";
import { archiveDone } from "./archive-done.ts";
import { returnTicket } from "./return-ticket.ts";

const dayMs = 86_400_000;

/** Acme's board with the member Mel and its owner Ada; and a clock that can be moved. */
async function board({ env, overrides }: Partial<Awaited<ReturnType<typeof makePatientDatabase>>> = {}) {
  const time = { now: new Date("2026-03-01T08:00:00Z") };
  const lodge = await startService(env, { ...overrides, clock: { now: () => time.now } });
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const ada = await signedIn(lodge, "ada@acme.test");
  const [web, mobile] = acme.projects;
  const { id: boardId = "", columns = [] } = web?.boards[0] ?? {};
  const [backlog = "", doing = "", done = ""] = columns.map(({ id }) => id);
  const file = async (title: string, columnId = backlog) =>
    String((await mel("POST", "/tickets", { title, columnId })).body.id);
  const shown = async (columnId = backlog) =>
    (await mel.call(listCards, { params: { columnId }, query: {} })).cards.map(({ title }) => title).join(" ");
  const archived = async () =>
    (await mel.call(listArchive, { params: { boardId }, query: {} })).cards.map(({ title }) => title).join(" ");
  const history = async (ticketId: string) =>
    (await mel.call(listActivities, { params: { ticketId }, query: {} })).activities;
  return { lodge, time, acme, mel, ada, web, mobile, boardId, backlog, doing, done, file, shown, archived, history };
}

test("an archived card leaves its board, is listed in the archive, and can be restored to its place", async () => {
  const { lodge, mel, boardId, file, shown, archived, history } = await board();
  await using _ = lodge;
  await file("A");
  const id = await file("B");
  await file("C");
  const put = await mel.call(changeTicket, { params: { ticketId: id }, body: { archived: true } });
  assert.ok(put.archivedAt);
  assert.equal(await shown(), "C A");
  assert.equal(await archived(), "B");
  const { columns } = await mel.call(viewBoard, { params: { boardId }, query: { text: "b" } });
  assert.deepEqual(
    columns.map(({ cardCount }) => cardCount),
    [0, 0, 0],
    "a search of the board does not find it either",
  );
  await mel.call(changeTicket, { params: { ticketId: id }, body: { archived: true } });
  await mel.call(changeTicket, { params: { ticketId: id }, body: { archived: false, title: "B2" } });
  assert.equal(await shown(), "C B2 A");
  assert.equal(await archived(), "");
  assert.deepEqual(
    (await history(id)).map(({ kind, actor }) => `${kind} ${actor.name}`),
    ["ticket.restored", "ticket.changed", "ticket.archived", "ticket.filed"].map((kind) => `${kind} Mel Acme`),
  );
});

test("the archive is paged, the most recently archived first", async () => {
  const { lodge, time, mel, boardId, file } = await board();
  await using _ = lodge;
  const ids: string[] = [];
  for (let number = 0; number < 55; number++) ids.push(await file(`${number}`));
  for (const ticketId of ids) {
    time.now = new Date(time.now.getTime() + 1);
    await mel.call(changeTicket, { params: { ticketId }, body: { archived: true } });
  }
  const first = await mel.call(listArchive, { params: { boardId }, query: {} });
  const next = await mel.call(listArchive, { params: { boardId }, query: { cursor: first.nextCursor ?? "" } });
  assert.deepEqual([first.cards.length, next.cards.length, next.nextCursor], [50, 5, null]);
  assert.deepEqual(
    [...first.cards, ...next.cards].map(({ id }) => id),
    ids.reverse(),
  );
});

test("many cards are moved, archived and assigned in one request, and the response says how to undo it", async () => {
  const { lodge, acme, mel, backlog, doing, file, shown, archived, history } = await board();
  await using _ = lodge;
  const ids = [await file("A"), await file("B"), await file("C")];
  await file("D", doing);
  const melsId = acme.members[2]?.id ?? "";
  const changes = ids.map((ticketId) => ({
    ticketId: ticketId.toUpperCase(),
    columnId: doing,
    assigneeUserId: melsId,
  }));
  const moved = await mel.call(changeTickets, { body: { changes } });
  assert.deepEqual(
    moved.cards.map(({ title, columnId, assignee }) => [title, columnId, assignee?.name]),
    ["A", "B", "C"].map((title) => [title, doing, "Mel Acme"]),
  );
  assert.equal(await shown(doing), "A B C D", "in the order of the request");
  const put = await mel.call(changeTickets, {
    body: { changes: ids.map((ticketId) => ({ ticketId, archived: true, priority: "high" as const })) },
  });
  assert.equal(await shown(doing), "D");
  assert.equal((await archived()).length, 5);
  await mel.call(changeTickets, { body: { changes: put.undo } });
  assert.equal(await shown(doing), "A B C D");
  const back = await mel.call(changeTickets, { body: { changes: moved.undo } });
  assert.equal(await shown(backlog), "C B A", "each card in its old place");
  assert.ok(back.cards.every(({ assignee, priority }) => assignee === null && priority === "none"));
  const kinds = (await history(ids[0] ?? "")).map(({ kind }) => kind.slice("ticket.".length)).join(" ");
  assert.equal(kinds, "moved changed restored changed archived changed moved changed filed");
  const nothing = await mel.call(changeTickets, { body: { changes: [{ ticketId: ids[0] ?? "", archived: false }] } });
  assert.deepEqual(nothing.undo, [], "a request that changes nothing has no undo");
});

test("many cards are labelled in one request: with history, selectable labels, and undo", async () => {
  const { lodge, mel, file, history } = await board();
  await using _ = lodge;
  const [a = "", b = ""] = [await file("A"), await file("B")];
  await mel.call(changeTicket, { params: { ticketId: a }, body: { labels: ["flaky"] } });
  const { cards, undo } = await mel.call(changeTickets, {
    body: {
      changes: [
        { ticketId: a, labels: ["flaky", "ci", "ci"] },
        { ticketId: b, labels: ["ci"] },
      ],
    },
  });
  assert.deepEqual(
    cards.map(({ labels }) => labels),
    [["flaky", "ci"], ["ci"]],
  );
  assert.deepEqual(
    (await mel.call(listLabels, { query: {} })).labels.map(({ name }) => name),
    ["ci", "flaky"],
  );
  assert.deepEqual((await history(a))[0]?.changes, [{ field: "labels", from: "flaky", to: "flaky, ci" }]);
  const back = await mel.call(changeTickets, { body: { changes: undo } });
  assert.deepEqual(
    back.cards.map(({ labels }) => labels),
    [["flaky"], []],
  );
});

test("many cards from any columns are moved below another card in one request, and moved back", async () => {
  const { lodge, mel, backlog, doing, file, shown } = await board();
  await using _ = lodge;
  const [a, b] = [await file("A"), await file("B")];
  const [above, c, below] = [await file("Below", doing), await file("C", doing), await file("Above", doing)].reverse();
  assert.equal(await shown(doing), "Above C Below");
  const place = { columnId: doing, belowTicketId: above?.toUpperCase() ?? "" };
  const move = async (ids: (string | undefined)[], at: object) =>
    mel.call(changeTickets, { body: { changes: ids.map((ticketId = "") => ({ ticketId, ...at })) } });
  const { undo } = await move([a, b, c], place);
  assert.equal(await shown(doing), "Above A B C Below");
  await mel.call(changeTickets, { body: { changes: undo } });
  assert.equal(`${await shown(backlog)}, ${await shown(doing)}`, "B A, Above C Below");
  await move([b, a], { columnId: doing, belowTicketId: below });
  assert.equal(await shown(doing), "Above C Below B A", "cards can be moved to the bottom");
  for (let round = 0; round < 80; round++) await move([b, a, c], place);
  assert.equal(await shown(doing), "Above B A C Below", "repeated moves keep the order");
  await move([below], { columnId: doing, belowTicketId: null });
  assert.equal(await shown(doing), "Below Above B A C", "null means the top");
  for (const [belowTicketId, ids] of [
    [a, [a, b]], // itself
    [below, [a]], // in another column
  ] as const) {
    const changes = ids.map((ticketId) => ({
      ticketId,
      columnId: belowTicketId === a ? doing : backlog,
      belowTicketId,
    }));
    assert.equal((await mel("PATCH", "/tickets", { changes })).body.error, "card_moved_away");
  }
  const nowhere = await mel("PATCH", "/tickets", { changes: [{ ticketId: a, belowTicketId: b }] });
  assert.equal(nowhere.body.error, "invalid_input");
});

test("many cards are moved to the top above a card with a key of the maximum length", async () => {
  const { lodge, mel, doing, file, shown } = await board();
  await using _ = lodge;
  const top = await file("Top", doing);
  const ids = [await file("A"), await file("B")];
  await lodge.deps.pool.query("update tickets set position = repeat('f', 60) where id = $1", [top]);
  const changes = ids.map((ticketId) => ({ ticketId, columnId: doing }));
  const { cards } = await mel.call(changeTickets, { body: { changes } });
  assert.equal(await shown(doing), "A B Top");
  assert.ok(cards.every(({ position }) => position.length <= 60));
});

test("a card is moved between two cards with equal keys, or keys that differ only by trailing zeros", async () => {
  const { lodge, mel, backlog, doing, file, shown } = await board();
  await using _ = lodge;
  const move = (ticketId: string, belowTicketId: string | null) =>
    mel.call(moveTicket, { params: { ticketId }, body: { columnId: doing, belowTicketId } });
  const change = (...changes: TicketChange[]) => mel.call(changeTickets, { body: { changes } });
  await file("Below", doing);
  const above = await file("Above", doing);
  const [a, b, c] = [await file("A"), await file("B"), await file("C")] as [string, string, string];
  await move(a, above);
  const { undo } = await change({ ticketId: a, columnId: backlog });
  await move(b, above);
  await change(...undo); // back to the key that B has now
  assert.equal(await shown(doing), "Above B A Below");
  await move(c, b);
  assert.equal(await shown(doing), "Above B C A Below");
  await change({ ticketId: b, columnId: doing, position: "80" }, { ticketId: a, columnId: doing, position: "8" });
  assert.equal(await shown(doing), "B A Above C Below");
  await change({ ticketId: c, columnId: doing, belowTicketId: b });
  assert.equal(await shown(doing), "B C A Above Below");
});

test("a bulk change is applied completely or not at all", async () => {
  const { lodge, acme, mel, mobile, doing, file, shown } = await board();
  await using _ = lodge;
  const [a, b] = [await file("A"), await file("B")];
  const refusals: [object[], string][] = [
    [
      [
        { ticketId: a, columnId: doing },
        { ticketId: acme.organisation.id, columnId: doing },
      ],
      "ticket_not_found",
    ],
    [
      [
        { ticketId: a, columnId: doing },
        { ticketId: b, columnId: mobile?.boards[0]?.columns[0]?.id },
      ],
      "column_not_found",
    ],
    [
      [
        { ticketId: a, columnId: doing },
        { ticketId: b, assigneeUserId: acme.organisation.id },
      ],
      "not_a_member",
    ],
    [
      [
        { ticketId: a, archived: true },
        { ticketId: a.toUpperCase(), archived: true },
      ],
      "invalid_input",
    ],
    [[{ ticketId: a, position: "8" }], "invalid_input"],
    [[{ ticketId: a, columnId: doing, position: "8'" }], "invalid_input"],
    [[{ ticketId: a }], "invalid_input"],
    [[], "invalid_input"],
    [Array.from({ length: 101 }, () => ({ ticketId: a, archived: true })), "invalid_input"],
  ];
  for (const [changes, error] of refusals) {
    assert.equal(
      (await mel("PATCH", "/tickets", { changes })).body.error,
      error,
      JSON.stringify(changes).slice(0, 200),
    );
  }
  assert.equal(await shown(), "B A");
});

test("two people who change the same cards in different orders do not deadlock", async () => {
  const { lodge, mel, backlog, doing, file } = await board();
  await using _ = lodge;
  const ids = [await file("A"), await file("B"), await file("C"), await file("D")];
  const change = (ticketIds: string[], columnId: string) =>
    mel.call(changeTickets, { body: { changes: ticketIds.map((ticketId) => ({ ticketId, columnId })) } });
  for (let round = 0; round < 5; round++) {
    await Promise.all([change(ids, doing), change([...ids].reverse(), backlog), change(ids, backlog)]);
  }
});

/** Starts both while somebody else has a card locked, the second once the first waits for it. */
async function meanwhile(lodge: Service, ticketId: string, both: [() => Promise<unknown>, () => Promise<unknown>]) {
  const client = await lodge.deps.pool.connect();
  await client.query(begin);
  await client.query("select from tickets where id = $1 for update", [ticketId]);
  const doing: Promise<unknown>[] = [];
  for (const act of both) {
    doing.push(act());
    await untilWaiting(lodge.deps.pool, doing.length);
  }
  await client.query("commit");
  client.release();
  await Promise.all(doing);
}

test("a card moved to a column that becomes the done column at the same moment is done", async () => {
  await using patient = await makePatientDatabase();
  const { lodge, mel, doing, done, file } = await board(patient);
  await using _ = lodge;
  await mel.call(changeColumn, { params: { columnId: done }, body: { isDone: true } });
  const ticketId = await file("A", done);
  await meanwhile(lodge, ticketId, [
    () => mel.call(changeColumn, { params: { columnId: doing }, body: { isDone: true } }),
    () => mel.call(moveTicket, { params: { ticketId }, body: { columnId: doing, belowTicketId: null } }),
  ]);
  assert.ok((await mel("GET", `/tickets/${ticketId}`)).body.doneAt);
});

test("a bulk change and a change of the done column do not deadlock", async () => {
  await using patient = await makePatientDatabase();
  const { lodge, mel, doing, done, file, shown } = await board(patient);
  await using _ = lodge;
  const ids = [await file("A", doing), await file("B", doing)] as const;
  const [first, second] = ids;
  for (const ticketId of [second, first]) {
    await mel.call(moveTicket, { params: { ticketId }, body: { columnId: done, belowTicketId: null } });
  }
  await meanwhile(lodge, second, [
    () => mel.call(changeColumn, { params: { columnId: done }, body: { isDone: true } }),
    () =>
      mel.call(changeTickets, { body: { changes: ids.map((ticketId) => ({ ticketId, priority: "low" as const })) } }),
  ]);
  assert.equal(await shown(done), "A B");
});

test("of two cards of one problem that are reopened at the same moment, one keeps the problem", async () => {
  await using patient = await makePatientDatabase();
  const { lodge, acme, mel, backlog, done } = await board(patient);
  await using _ = lodge;
  await mel.call(changeColumn, { params: { columnId: done }, body: { isDone: true } });
  const fileOne = async () => {
    const { body } = await lodge.fileTicket(acme.tokens[0]?.secret, {
      title: "Red",
      problem: "nightly",
      columnId: backlog,
    });
    const ticketId = String(body.id);
    await mel.call(moveTicket, { params: { ticketId }, body: { columnId: done, belowTicketId: null } });
    return ticketId;
  };
  const [ticketId, other] = [await fileOne(), await fileOne()];
  const archive = (archived: boolean) => mel.call(changeTicket, { params: { ticketId }, body: { archived } });
  const ways: [() => Promise<unknown>, () => Promise<unknown>][] = [
    [
      () => mel.call(moveTicket, { params: { ticketId }, body: { columnId: backlog, belowTicketId: null } }),
      () => mel.call(changeTickets, { body: { changes: [{ ticketId, columnId: done }] } }),
    ],
    [() => mel.call(changeTickets, { body: { changes: [{ ticketId, columnId: backlog }] } }), () => archive(true)],
    [() => archive(false), () => archive(true)],
  ];
  for (const [open, close] of ways) {
    const set = "update tickets set problem = 'nightly'";
    await lodge.deps.pool.query(`${set} where id = $1`, [ticketId]);
    const client = await lodge.deps.pool.connect();
    await client.query(begin);
    await client.query(`${set}, done_at = null where id = $1`, [other]);
    const opening = open();
    await untilWaiting(lodge.deps.pool);
    await client.query("commit");
    client.release();
    await opening;
    const { body } = await mel("GET", `/tickets/${ticketId}`);
    assert.deepEqual([body.archivedAt, body.doneAt, body.problem], [null, null, null], "the other keeps the problem");
    await close();
    await lodge.deps.pool.query("update tickets set done_at = now() where id = $1", [other]);
  }
});

test("a card that somebody moves at the same moment is still deleted, or reopened by its app", async () => {
  await using patient = await makePatientDatabase();
  const { lodge, acme, mel, backlog, doing, file, shown } = await board(patient);
  await using _ = lodge;
  const whileMoved = async (ticketId: string, act: () => Promise<unknown>) => {
    const client = await lodge.deps.pool.connect();
    await client.query(begin);
    await client.query("update tickets set column_id = $2 where id = $1", [ticketId, doing]);
    const acting = act();
    await untilWaiting(lodge.deps.pool);
    await client.query("commit");
    client.release();
    await acting;
  };
  const [deleted, returned] = [await file("Deleted"), await file("Returned")];
  await whileMoved(deleted, () => mel.call(deleteTickets, { body: { ticketIds: [deleted] } }));
  await mel.call(changeTicket, { params: { ticketId: returned }, body: { archived: true } });
  const { id: organisationId } = acme.organisation;
  const app = { id: randomUUID(), name: "iOS" };
  const back = { organisationId, ticketId: returned, columnId: backlog, app };
  await whileMoved(returned, () => returnTicket(lodge.deps, back));
  assert.deepEqual([await shown(backlog), await shown(doing)], ["Returned", ""]);
});

test("commenting on a card that somebody deletes at the same moment is refused without an internal error", async () => {
  await using patient = await makePatientDatabase();
  const { lodge, mel, file } = await board(patient);
  await using _ = lodge;
  const id = await file("A");
  const client = await lodge.deps.pool.connect();
  await client.query(begin);
  await client.query("delete from tickets where id = $1", [id]);
  const commenting = mel("POST", `/tickets/${id}/comments`, { text: "Too late" });
  await untilWaiting(lodge.deps.pool);
  await client.query("commit");
  client.release();
  const { status, body } = await commenting;
  assert.deepEqual([status, body.error], [404, "ticket_not_found"]);
});

test("a card is done in its board's only done column, and archived once it has been done for long enough", async () => {
  const { lodge, time, mel, boardId, doing, done, file, shown, archived, history } = await board();
  await using _ = lodge;
  const early = await file("Early", done);
  const column = await mel.call(changeColumn, { params: { columnId: done }, body: { isDone: true } });
  assert.equal(column.isDone, true);
  const filed = await file("Filed", done);
  const moved = await file("Moved");
  const card = await mel.call(moveTicket, {
    params: { ticketId: moved },
    body: { columnId: done, belowTicketId: null },
  });
  assert.equal(card.doneAt, time.now.toISOString());
  const doneAt = async (ticketId: string) => (await mel("GET", `/tickets/${ticketId}`)).body.doneAt;
  assert.deepEqual([await doneAt(early), await doneAt(filed)], [card.doneAt, card.doneAt]);

  await mel.call(changeColumn, { params: { columnId: doing }, body: { isDone: true } });
  const { columns, doneCardDays } = await mel.call(viewBoard, { params: { boardId }, query: {} });
  assert.deepEqual(
    columns.map(({ isDone }) => isDone),
    [false, true, false],
  );
  assert.equal(doneCardDays, 14);
  assert.equal(await doneAt(moved), null, "the card is no longer done");
  await mel.call(changeColumn, { params: { columnId: done }, body: { isDone: true } });
  await mel.call(changeTickets, { body: { changes: [{ ticketId: early, columnId: doing }] } });
  assert.equal(await doneAt(early), null);

  time.now = new Date(time.now.getTime() + 14 * dayMs);
  const expires_at = new Date(time.now.getTime() + dayMs); // Mel has signed in every day
  await lodge.deps.db.updateTable("sessions").set({ expires_at }).execute();
  await mel.call(changeTickets, { body: { changes: [{ ticketId: early, columnId: done }] } });
  await mel.call(changeBoard, { params: { boardId }, body: { doneCardDays: null } });
  time.now = new Date(time.now.getTime() + 1);
  await archiveDone(lodge.deps);
  assert.equal(await shown(done), "Early Moved Filed", "a board without a limit keeps done cards");
  await mel.call(changeBoard, { params: { boardId }, body: { doneCardDays: 14 } });
  await archiveDone(lodge.deps);
  assert.equal(await shown(done), "Early", "cards done fourteen days ago are archived, cards done today are not");
  assert.equal((await archived()).length, "Moved Filed".length);
  const [entry] = await history(filed);
  assert.deepEqual([entry?.kind, entry?.actor], ["ticket.archived", { kind: "lodge", id: null, name: "Lodge" }]);

  await mel.call(changeTicket, { params: { ticketId: filed }, body: { archived: false } });
  await archiveDone(lodge.deps);
  assert.match(await shown(done), /Filed/, "a restored card is kept for the full period again");
  for (const days of [0, 366, 1.5, "14"]) {
    assert.equal((await mel("PATCH", `/boards/${boardId}`, { doneCardDays: days })).body.error, "invalid_input");
  }
});

test("the last default column of a new board is its done column", async () => {
  const { lodge, mel, web } = await board();
  await using _ = lodge;
  const made = await mel.call(createBoard, { body: { projectId: web?.id ?? "", name: "Sprint" } });
  const { columns } = await mel.call(viewBoard, { params: { boardId: made.id }, query: {} });
  assert.deepEqual(
    columns.map(({ name, isDone }) => [name, isDone]),
    [
      ["To do", false],
      ["Doing", false],
      ["Done", true],
    ],
  );
});

test("admins and authors delete one or many cards, and the audit log records it", async () => {
  const { lodge, acme, mel, ada, file, shown } = await board();
  await using _ = lodge;
  const ids = [await file("A"), await file("B"), await file("C")];
  const { body: foreign } = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "From CI" });
  await mel("POST", `/tickets/${ids[0]}/comments`, { text: "hello" });
  await mel.call(deleteTicket, { params: { ticketId: ids[0] ?? "" } });
  assert.equal((await mel("GET", `/tickets/${ids[0]}`)).body.error, "ticket_not_found");
  const both = [ids[1] ?? "", `${foreign.id}`];
  assert.equal((await mel("DELETE", `/tickets/${foreign.id}`)).body.error, "forbidden");
  assert.equal((await mel("POST", "/tickets/delete", { ticketIds: both })).body.error, "forbidden");
  assert.equal((await ada("POST", "/tickets/delete", { ticketIds: [...both, ids[0]] })).body.error, "ticket_not_found");
  assert.equal(await shown(), "From CI C B");
  await ada.call(deleteTickets, { body: { ticketIds: both } });
  assert.equal(await shown(), "C");
  const audited = await lodge.deps.db
    .selectFrom("audit_entries")
    .select("details")
    .where("organisation_id", "=", acme.organisation.id)
    .where("kind", "=", "ticket.deleted")
    .orderBy("id")
    .execute();
  assert.deepEqual(
    audited.map(({ details }) => Object(details).title + Object(details).userName),
    ["AMel Acme", "BAda Acme", "From CIAda Acme"],
  );
});

test("a column with only archived cards is deleted on request", async () => {
  const { lodge, ada, web, boardId, backlog, doing, file } = await board();
  await using _ = lodge;
  const [kept, put] = [await file("Kept", doing), await file("Put away")];
  await ada.call(changeTicket, { params: { ticketId: put }, body: { archived: true } });
  const paths = [`/columns/${backlog}`, `/boards/${boardId}`, `/projects/${web?.id}`];
  const answers = async (suffix: string) =>
    Promise.all(paths.map(async (path) => (await ada("DELETE", `${path}${suffix}`)).body.error));
  assert.deepEqual(await answers(""), ["only_archived", "not_empty", "not_empty"]);
  await ada.call(deleteColumn, { params: { columnId: backlog }, query: { archived: "delete" } });
  await ada.call(changeTicket, { params: { ticketId: kept }, body: { archived: true } });
  assert.equal((await ada("DELETE", `/boards/${boardId}`)).body.error, "only_archived");
  assert.equal((await ada("DELETE", `/projects/${web?.id}`)).body.error, "only_archived");
  assert.equal((await ada("DELETE", `/projects/${web?.id}?archived=keep`)).body.error, "invalid_input");
  await ada.call(deleteBoard, { params: { boardId }, query: { archived: "delete" } });
  await ada.call(deleteProject, { params: { projectId: web?.id ?? "" }, query: {} });
});
