import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeColumn, changeTicket, deleteTicket, listActivities, moveTicket } from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";

const hourMs = 3_600_000;
const time = { now: new Date("2026-03-01T08:00:00Z") };
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const patient = started.use(await makePatientDatabase());
const settings = { ...patient.env, LODGE_TICKET_RATE_PER_MINUTE: "10000" };
const lodge = started.use(await startService(settings, { ...patient.overrides, clock: { now: () => time.now } }));

type Body = { id: string | null; occurrence?: number; previousId?: string | null; columnId?: string; title?: string };

/** An organisation with Ada, who works on its boards, and a token that reports problems. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const tell = async (fields: object, headers: Record<string, string> = {}) => {
    const answer = await lodge.fileTicket(acme.tokens.web, { title: "t", ...fields }, headers);
    return { ...answer, body: answer.body as Body };
  };
  const show = async (id: string | null | undefined) => (await ada("GET", `/tickets/${id}`)).body;
  const history = async (ticketId: string | null | undefined) =>
    (await ada.call(listActivities, { params: { ticketId: ticketId ?? "" }, query: {} })).activities;
  const makeDone = (columnId: string) => ada.call(changeColumn, { params: { columnId }, body: { isDone: true } });
  return { acme, ada, tell, show, history, makeDone };
}

test("tickets of one problem are one card while it is open, with one history entry an hour", async () => {
  const { tell, show, history, acme } = await team();
  const first = await tell({ title: "Nightly build is red", problem: "nightly" });
  assert.equal(first.status, 201);
  assert.deepEqual([first.body.occurrence, first.body.previousId], [1, null]);
  for (let occurrence = 2; occurrence <= 4; occurrence++) {
    time.now = new Date(time.now.getTime() + hourMs / 2 + 1);
    const again = await tell({ title: "Other words", problem: "nightly", columnId: acme.web.inbox.doingId });
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, { ...first.body, occurrence });
  }
  const ticket = await show(first.body.id);
  assert.deepEqual(
    [ticket.title, ticket.occurrences, ticket.lastOccurredAt, ticket.problem],
    ["Nightly build is red", 4, time.now.toISOString(), "nightly"],
  );
  assert.deepEqual(
    (await history(first.body.id)).map(({ kind, occurrence, actor }) => [kind, occurrence, actor.name]),
    [
      ["ticket.occurred", 3, "Web CI"],
      ["ticket.filed", undefined, "Web CI"],
    ],
  );
  const read = await lodge.request("GET", `/api/v1/tickets/${first.body.id}`, {
    headers: { authorization: `Bearer ${acme.tokens.reader}` },
  });
  assert.deepEqual([read.body.occurrences, read.body.problem, read.body.run], [4, "nightly", null]);
  assert.equal((await tell({ problem: "weekly" })).status, 201, "another problem is another ticket");
  const elsewhere = await lodge.fileTicket(acme.tokens.mobile, { title: "t", problem: "nightly" });
  assert.equal(elsewhere.status, 201, "and so is another project");
  assert.equal((await (await team()).tell({ problem: "nightly" })).status, 201, "and another organisation");
});

test("fifty concurrent requests for one problem create one card with fifty occurrences", async () => {
  const { acme, tell, show } = await team();
  const answers = await Promise.all(Array.from({ length: 50 }, () => tell({ problem: "storm" })));
  assert.deepEqual([...new Set(answers.map(({ body }) => body.id))].length, 1);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const occurrences = answers.map(({ body }) => body.occurrence ?? 0).sort((a, b) => a - b);
  assert.deepEqual(
    occurrences,
    Array.from({ length: 50 }, (_, index) => index + 1),
    "all numbers are different",
  );
  assert.equal((await show(answers[0]?.body.id)).occurrences, 50);
  // Requests with an assignee run in separate, concurrent statements.
  const alone = await Promise.all(
    Array.from({ length: 50 }, () => tell({ problem: "alone", assigneeUserId: acme.memberUserId })),
  );
  assert.equal((await show(alone[0]?.body.id)).occurrences, 50);
  assert.equal(alone.filter(({ status }) => status === 201).length, 1);
});

test("an Idempotency-Key gives one response and one occurrence, even if it is sent twenty times at once", async () => {
  const { tell, show } = await team();
  const key = { "idempotency-key": "run 1" };
  const first = await tell({ problem: "p" }, key);
  const replayed = await tell({ problem: "p" }, key);
  assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
  assert.equal(replayed.headers.get("idempotency-replayed"), "true");
  const second = await tell({ problem: "p" }, { "idempotency-key": "run 2" });
  const again = await tell({ nonsense: true }, { "idempotency-key": "run 2" });
  assert.deepEqual(
    [again.status, again.text, again.headers.get("idempotency-replayed")],
    [200, second.text, "mismatch"],
  );
  const many = await Promise.all([
    ...Array.from({ length: 20 }, () => tell({ problem: "p" }, { "idempotency-key": "run 3" })),
    ...Array.from({ length: 20 }, () => tell({ problem: "p" })),
  ]);
  assert.equal(new Set(many.slice(0, 20).map(({ text }) => text)).size, 1);
  assert.equal((await show(first.body.id)).occurrences, 23);
  const resolved = await tell({ problem: "p", resolved: true }, { "idempotency-key": "over" });
  await tell({ problem: "p" });
  const over = await tell({ problem: "p", resolved: true }, { "idempotency-key": "over" });
  assert.deepEqual([over.status, over.text], [200, resolved.text], "a replay does not resolve the problem again");
  assert.equal((await tell({ problem: "p" })).status, 200);
});

test("a resolved problem moves its card to the done column, and creates a new ticket if it returns", async () => {
  const { acme, tell, show, history, makeDone, ada } = await team();
  await makeDone(acme.web.inbox.doingId);
  assert.deepEqual((await tell({ problem: "red", resolved: true })).body, { id: null }, "no card is open");
  const first = await tell({ title: "Red", problem: "red" });
  await tell({ problem: "red" });
  const resolved = await tell({ problem: "red", resolved: true });
  assert.equal(resolved.status, 200);
  assert.deepEqual(resolved.body, { ...first.body, columnId: acme.web.inbox.doingId, occurrence: 2 });
  assert.equal((await show(first.body.id)).doneAt, time.now.toISOString());
  const [entry] = await history(first.body.id);
  assert.deepEqual(
    [entry?.kind, entry?.from, entry?.to, entry?.actor.kind],
    ["ticket.resolved", "Backlog", "Doing", "token"],
  );
  assert.deepEqual((await tell({ problem: "red", resolved: true })).body, { id: null });

  const second = await tell({ problem: "red", resolved: false });
  assert.equal(second.status, 201);
  assert.deepEqual([second.body.occurrence, second.body.previousId], [1, first.body.id]);
  assert.equal((await history(second.body.id))[0]?.previousTicketId, first.body.id);
  const back = await ada("POST", `/tickets/${first.body.id}/move`, {
    columnId: acme.web.inbox.backlogId,
    belowTicketId: null,
  });
  assert.equal(back.status, 200, back.text);
  assert.equal(
    (await tell({ problem: "red" })).body.id,
    second.body.id,
    "moving the old card back does not reattach it to the problem",
  );
  await ada.call(changeTicket, { params: { ticketId: second.body.id ?? "" }, body: { archived: true } });
  const third = await tell({ problem: "red" });
  assert.deepEqual([third.status, third.body.previousId], [201, second.body.id]);
  const restored = await ada("PATCH", `/tickets/${second.body.id}`, { archived: false });
  assert.equal(restored.status, 200, restored.text);
  await ada.call(deleteTicket, { params: { ticketId: third.body.id ?? "" } });
  assert.equal((await tell({ problem: "red" })).status, 201);
});

test("without a done column a resolved card goes to the last column, or, if there is only one, to the archive", async () => {
  const { acme, ada, tell, show } = await team();
  const first = await tell({ problem: "p" });
  const resolved = await tell({ problem: "p", resolved: true });
  assert.equal(resolved.body.columnId, acme.web.inbox.doingId);
  assert.ok((await show(first.body.id)).doneAt, "a resolved card in the last column is done");
  const second = await tell({ problem: "p", columnId: acme.web.inbox.doingId });
  assert.deepEqual([second.status, second.body.previousId], [201, first.body.id]);
  await tell({ problem: "p", resolved: true });
  assert.ok((await show(second.body.id)).doneAt, "a card that was in the last column already is done too");
  const params = { ticketId: second.body.id ?? "" };
  await ada.call(moveTicket, { params, body: { columnId: acme.web.inbox.backlogId, belowTicketId: null } });
  assert.equal((await tell({ problem: "p" })).body.id, second.body.id, "moving the card to another column reopens it");

  const alone = await lodge.fileTicket(acme.tokens.mobile, { title: "t", problem: "p" });
  const over = await lodge.fileTicket(acme.tokens.mobile, { title: "t", problem: "p", resolved: true });
  assert.equal(over.body.id, alone.body.id);
  assert.ok((await show(`${alone.body.id}`)).archivedAt);
});

test("when a column stops being the done column, the latest ticket of each problem is open again", async () => {
  const { acme, ada, tell, show, makeDone } = await team();
  await makeDone(acme.web.inbox.doingId);
  const first = await tell({ problem: "p" });
  await tell({ problem: "p", resolved: true });
  const second = await tell({ problem: "p" });
  await tell({ problem: "p", resolved: true });
  await ada.call(changeColumn, { params: { columnId: acme.web.inbox.doingId }, body: { isDone: false } });
  assert.equal((await tell({ problem: "p" })).body.id, second.body.id);
  assert.equal((await show(first.body.id)).problem, null);
});

test("an occurrence starts no run of the agent, and needs the same permission as filing", async () => {
  const { acme, tell } = await team();
  const input = { problem: "p", assigneeUserId: acme.agentUserId };
  await tell(input);
  await tell(input);
  const { rows } = await lodge.deps.pool.query("select state from agent_runs where organisation_id = $1", [acme.id]);
  assert.equal(rows.length, 1);
  const refusals: [object, string][] = [
    [{ problem: "" }, "invalid_input"],
    [{ problem: "x".repeat(201) }, "invalid_input"],
    [{ problem: null }, "invalid_input"],
    [{ resolved: true }, "invalid_input"],
    [{ problem: "p", resolved: "yes" }, "invalid_input"],
    [{ problem: "p", columnId: acme.id }, "column_not_found"],
    [{ problem: "p", resolved: true, boardId: acme.id }, "board_not_found"],
    [{ problem: "p", resolved: true, projectId: acme.mobile.id }, "project_not_found"],
    [{ problem: "p", startsAt: "2026-02-02", dueAt: "2026-02-01" }, "invalid_date_range"],
  ];
  for (const [fields, error] of refusals)
    assert.equal((await tell(fields)).text.includes(error), true, JSON.stringify(fields));
  const resolving = await lodge.fileTicket(acme.tokens.powerless, { title: "t", problem: "p", resolved: true });
  assert.equal(resolving.body.error, "insufficient_scope");
});

test("missing labels are created and added to the card", async () => {
  const { acme, ada, tell, show } = await team();
  const labels = ["ci", "nightly", "ci", "größer 👩‍🚀"];
  const { body } = await tell({ labels, problem: "labelled" });
  const plain = await tell({ labels: ["ci", "b"] });
  assert.deepEqual((await show(body.id)).labels, ["ci", "nightly", "größer 👩‍🚀"]);
  assert.deepEqual((await show(plain.body.id)).labels, ["ci", "b"]);
  const changed = await ada.call(changeTicket, {
    params: { ticketId: body.id ?? "" },
    body: { labels: ["new", "ci"] },
  });
  assert.deepEqual(changed.labels, ["new", "ci"]);
  const { rows } = await lodge.deps.pool.query("select name from labels where organisation_id = $1 order by name", [
    acme.id,
  ]);
  assert.deepEqual(
    rows.map(({ name }: { name: string }) => name),
    ["b", "ci", "größer 👩‍🚀", "new", "nightly"],
  );
  for (const refused of [[""], ["x".repeat(51)], [null], "ci", Array.from({ length: 21 }, (_, index) => `${index}`)]) {
    assert.equal((await tell({ labels: refused })).text.includes("invalid_input"), true, JSON.stringify(refused));
  }
  assert.equal((await tell({ labels: Array.from({ length: 20 }, () => "x".repeat(50)) })).status, 201);
});
