import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  changeTicket,
  createColumn,
  deleteColumn,
  deleteProject,
  deleteTicket,
  deleteTickets,
  emptyTrash,
  getTrashedTicket,
  listActivities,
  listBoardFigures,
  listCards,
  listNotices,
  listRuns,
  listTrash,
  purgeTicket,
  restoreTickets,
  searchCards,
  writeComment,
} from "@lodge/contract/calls.generated";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { signedIn, visitor } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";
import { sweepTrash } from "./empty-trash.ts";
import { numberAllTickets } from "./number-tickets.ts";

const dayMs = 86_400_000;
const time = { now: new Date("2026-03-01T08:00:00Z") };
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const settings = { LODGE_TICKET_RATE_PER_MINUTE: "10000" };
const lodge = started.use(await startService(settings, { clock: { now: () => time.now } }));

/** An organisation with Ada, its owner, and the member Mel; and helpers to file, read and list the trash. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const email = `mel@${acme.slug}.test`;
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email, name: "Mel", role: "member" }],
  });
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const mel = await signedIn(lodge, email);
  const file = async (fields: object = {}, token = acme.tokens.web) =>
    String((await lodge.fileTicket(token, { title: "Card", ...fields })).body.id);
  const ask = (path: string, token = acme.tokens.reader) =>
    lodge.request("GET", `/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const trash = async () =>
    (await mel.call(listTrash, { params: { projectId: acme.web.id }, query: {} })).tickets.map(({ id }) => id);
  const restore = (...ticketIds: string[]) => mel.call(restoreTickets, { body: { ticketIds } });
  const shown = async (columnId = acme.web.inbox.backlogId) =>
    (await mel.call(listCards, { params: { columnId }, query: {} })).cards.map(({ id }) => id);
  return { acme, ada, mel, file, ask, trash, restore, shown };
}

test("a deleted ticket is only in the trash, from which a member restores it unchanged", async () => {
  const { acme, ada, mel, file, ask, trash, restore, shown } = await team();
  const above = await file();
  const ticketId = await file({ title: "Flaky checkout", labels: ["ci"], assigneeUserId: acme.agentUserId });
  const below = await file();
  await numberAllTickets(lodge.deps);
  await ada.call(writeComment, { params: { ticketId }, body: { text: "Look" } });
  const before = (await ask(`/tickets/${ticketId}`)).body;
  await ada.call(deleteTicket, { params: { ticketId } });

  assert.deepEqual(await shown(), [below, above]);
  for (const path of [`/tickets/${ticketId}`, `/tickets/${before.number}`, `/tickets/${ticketId}/comments`]) {
    assert.equal((await ask(path)).body.error, "ticket_not_found", path);
  }
  const countListed = async (query: string) => ((await ask(`/tickets?${query}`)).body.tickets as unknown[]).length;
  assert.deepEqual(
    await Promise.all([countListed("state=all"), countListed("q=flaky"), countListed("label=ci")]),
    [2, 0, 0],
  );
  assert.deepEqual((await ask("/labels")).body.labels, []);
  assert.deepEqual((await mel.call(searchCards, { query: { text: "Flaky" } })).cards, []);
  const { boards } = await mel.call(listBoardFigures, {});
  assert.equal(boards.find(({ id }) => id === acme.web.inbox.id)?.cardCount, 2);
  assert.deepEqual((await mel.call(listRuns, { query: {} })).runs, []);
  for (const path of ["", "/comments", "/activities", "/attachments", "/report", "/place"]) {
    assert.equal((await mel("GET", `/tickets/${ticketId}${path}`)).body.error, "ticket_not_found", path);
  }
  assert.equal((await mel("PATCH", `/tickets/${ticketId}`, { title: "New" })).body.error, "ticket_not_found");
  const change = { changes: [{ ticketId, priority: "high" }] };
  assert.equal((await mel("PATCH", "/tickets", change)).body.error, "ticket_not_found");
  const move = { columnId: acme.web.inbox.doingId, belowTicketId: null };
  assert.equal((await mel("POST", `/tickets/${ticketId}/move`, move)).body.error, "ticket_not_found");
  assert.equal((await ada("DELETE", `/tickets/${ticketId}`)).body.error, "ticket_not_found", "already deleted");

  assert.deepEqual(await trash(), [ticketId]);
  const { cards } = await restore(ticketId);
  assert.deepEqual(
    cards.map(({ id }) => id),
    [ticketId],
  );
  assert.deepEqual([await shown(), await trash()], [[below, ticketId, above], []]);
  const { updatedAt: _, run, ...same } = (await ask(`/tickets/${ticketId}`)).body;
  const { updatedAt: __, run: ___, ...was } = before;
  assert.deepEqual(same, was);
  assert.equal((run as { state: string }).state, "cancelled");
  const { activities } = await mel.call(listActivities, { params: { ticketId }, query: {} });
  assert.deepEqual(
    activities.slice(0, 2).map(({ kind, actor }) => `${kind} ${actor.name}`),
    ["ticket.undeleted Mel", "ticket.deleted Ada"],
  );
});

test("the trash says who deleted a ticket and when it will be deleted permanently; outsiders cannot see it", async () => {
  const { acme, ada, mel, file, trash } = await team();
  const [one, two, three] = [await file(), await file(), await file({}, acme.tokens.mobile)];
  await ada.call(deleteTickets, { body: { ticketIds: [one, two, three] } });
  const deletedAt = time.now.toISOString();
  const { number: _, ...found } = await mel.call(getTrashedTicket, { params: { ticketId: one } });
  assert.deepEqual(found, {
    id: one,
    title: "Card",
    projectId: acme.web.id,
    boardId: acme.web.inbox.id,
    deletedAt,
    deletedBy: "Ada",
    purgedAt: new Date(time.now.getTime() + 30 * dayMs).toISOString(),
  });
  assert.deepEqual((await trash()).sort(), [one, two].sort(), "each project has its own trash");
  const eve = (await team()).ada;
  const stranger = visitor(lodge);
  const restoring = { ticketIds: [one] };
  const [ofProject, ofTicket] = [`/projects/${acme.web.id}/trash`, `/trash/${one}`];
  for (const [method, path, body] of [
    ["GET", ofProject],
    ["GET", ofTicket],
    ["DELETE", ofProject],
    ["DELETE", ofTicket],
    ["POST", "/trash/restore", restoring],
  ] as const) {
    const refused = path === ofProject ? "project_not_found" : "ticket_not_found";
    assert.equal((await eve(method, path, body)).body.error, refused, `${method} ${path}`);
    assert.equal((await stranger(method, path, body)).body.error, "not_signed_in", `${method} ${path}`);
  }
  assert.equal((await mel("DELETE", ofTicket)).body.error, "forbidden", "members cannot delete permanently");
  assert.equal((await mel("DELETE", ofProject)).body.error, "forbidden");
  const mixed = { ticketIds: [one, await file()] };
  assert.equal((await mel("POST", "/trash/restore", mixed)).body.error, "ticket_not_found", "all or nothing");
  assert.equal((await trash()).length, 2);
});

test("an admin deletes one or all tickets in the trash permanently, and the worker does after 30 days", async () => {
  const { acme, ada, mel, file, ask, trash, restore } = await team();
  const [one, two, three, kept] = [await file(), await file(), await file(), await file()];
  await numberAllTickets(lodge.deps);
  const { number } = (await ask(`/tickets/${kept}`)).body;
  await ada.call(deleteTickets, { body: { ticketIds: [one, two, three, kept] } });
  await restore(kept);
  await ada.call(purgeTicket, { params: { ticketId: one } });
  assert.equal((await mel("POST", "/trash/restore", { ticketIds: [one] })).body.error, "ticket_not_found");
  assert.equal((await ada("DELETE", `/trash/${kept}`)).body.error, "ticket_not_found", "not in the trash any more");
  await ada.call(emptyTrash, { params: { projectId: acme.web.id } });
  assert.deepEqual(await trash(), []);

  await ada.call(deleteTicket, { params: { ticketId: kept } });
  time.now = new Date(time.now.getTime() + 30 * dayMs - 1);
  await lodge.deps.pool.query("update sessions set expires_at = expires_at + interval '60 days'");
  await sweepTrash(lodge.deps);
  assert.deepEqual(await trash(), [kept]);
  time.now = new Date(time.now.getTime() + 2);
  assert.ok((await sweepTrash(lodge.deps)) >= 1);
  assert.deepEqual(await trash(), []);
  const next = await file();
  await numberAllTickets(lodge.deps);
  assert.notEqual((await ask(`/tickets/${next}`)).body.number, number, "numbers are not reused");
  const audited = await lodge.deps.db
    .selectFrom("audit_entries")
    .select("kind")
    .where("organisation_id", "=", acme.id)
    .where("kind", "=", "ticket.purged")
    .execute();
  assert.equal(audited.length, 3);
});

test("a problem whose card is in the trash gets a new card, and restoring the old one detaches it from the problem", async () => {
  const { acme, ada, ask, restore } = await team();
  const tell = async () => (await lodge.fileTicket(acme.tokens.web, { title: "Red", problem: "nightly" })).body;
  const problemOf = async (id: unknown) => (await ask(`/tickets/${id}`)).body.problem;
  const first = await tell();
  await ada.call(deleteTicket, { params: { ticketId: `${first.id}` } });
  await restore(`${first.id}`);
  assert.equal(await problemOf(first.id), "nightly", "the restored card is still the only one of its problem");
  assert.equal((await tell()).id, first.id);
  await ada.call(deleteTicket, { params: { ticketId: `${first.id}` } });
  const second = await tell();
  assert.notEqual(second.id, first.id);
  assert.equal(second.previousId, null, "the new card does not mention the deleted one");
  await restore(`${first.id}`);
  assert.deepEqual([await problemOf(first.id), await problemOf(second.id)], [null, "nightly"]);
  assert.equal((await tell()).id, second.id);
});

test("the idempotency key of a deleted ticket stays taken, and a deleted ticket still gets a number", async () => {
  const { acme, ada, restore, ask } = await team();
  const headers = { "idempotency-key": "k" };
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "Once" }, headers);
  const ticketId = `${filed.body.id}`;
  await ada.call(deleteTicket, { params: { ticketId } });
  const again = await lodge.fileTicket(acme.tokens.web, { title: "Once" }, headers);
  assert.deepEqual([again.status, again.body], [201, filed.body]);
  await numberAllTickets(lodge.deps);
  await restore(ticketId);
  assert.match(`${(await ask(`/tickets/${ticketId}`)).body.number}`, /^WEB-\d+$/);
});

test("a ticket whose column is gone is restored to the first column of its board; the trash is deleted with its project", async () => {
  const { acme, ada, mel, file, trash, restore, shown } = await team();
  const { id: columnId } = await ada.call(createColumn, { body: { boardId: acme.web.later.id, name: "Gone" } });
  const ticketId = await file({ boardId: acme.web.later.id, columnId });
  const archived = await file({ boardId: acme.web.later.id, columnId });
  await ada.call(changeTicket, { params: { ticketId: archived }, body: { archived: true } });
  await ada.call(deleteTickets, { body: { ticketIds: [ticketId, archived] } });
  await ada.call(deleteColumn, { params: { columnId }, query: {} });
  await restore(ticketId, archived);
  assert.deepEqual(await shown(acme.web.later.ideasId), [ticketId], "an archived card is restored to the archive");
  await ada.call(deleteTickets, { body: { ticketIds: [ticketId, archived] } });
  assert.equal((await trash()).length, 2);
  await ada.call(deleteProject, { params: { projectId: acme.web.id }, query: {} });
  assert.equal((await mel("GET", `/trash/${ticketId}`)).body.error, "ticket_not_found");
  const { rowCount } = await lodge.deps.pool.query("select from tickets where id = any($1)", [[ticketId, archived]]);
  assert.equal(rowCount, 0);
  await sweepStore(lodge.deps);
});

test("notifications of a ticket in the trash are hidden until it is restored", async () => {
  const { acme, ada, mel, restore } = await team();
  const mine = await mel("POST", "/tickets", { title: "Mine", columnId: acme.web.inbox.backlogId });
  const ticketId = `${mine.body.id}`;
  await ada.call(writeComment, { params: { ticketId }, body: { text: "Done?" } });
  const notices = async () => {
    const page = await mel.call(listNotices, { query: {} });
    return [page.notices.length, page.unreadCount];
  };
  assert.deepEqual(await notices(), [1, 1]);
  await mel.call(deleteTicket, { params: { ticketId } });
  assert.deepEqual(await notices(), [0, 0]);
  await restore(ticketId);
  assert.deepEqual(await notices(), [1, 1]);
});
