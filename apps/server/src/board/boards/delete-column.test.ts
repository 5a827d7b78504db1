import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  changeColumn,
  changeTicket,
  createTicket,
  deleteColumn,
  getTicket,
  listActivities,
  viewBoard,
} from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService());

async function team() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const file = async (title: string, columnId: string) =>
    (await ada.call(createTicket, { body: { title, columnId } })).id;
  const shown = async () => {
    const { columns } = await ada.call(viewBoard, { params: { boardId: acme.web.inbox.id }, query: {} });
    return columns.map(({ name, cards }) => `${name}: ${cards.map(({ title }) => title).join(" ")}`);
  };
  const { backlogId, doingId } = acme.web.inbox;
  return { acme, ada, file, shown, backlogId, doingId };
}

test("deleting a column moves its cards to the top of another, in order, with archived ones and history", async () => {
  const { ada, file, shown, backlogId, doingId } = await team();
  const ids = [await file("B", backlogId), await file("A", backlogId)];
  await file("There", doingId);
  const archived = await file("Old", backlogId);
  await ada.call(changeTicket, { params: { ticketId: archived }, body: { archived: true } });
  await ada.call(changeColumn, { params: { columnId: doingId }, body: { isDone: true } });
  await ada.call(deleteColumn, { params: { columnId: backlogId }, query: { moveTo: doingId } });
  assert.deepEqual(await shown(), ["Doing: A B There"]);
  const { doneAt, archivedAt } = await ada.call(getTicket, { params: { ticketId: ids[0] ?? "" } });
  assert.deepEqual([doneAt !== null, archivedAt], [true, null], "the card becomes done in the done column");
  const old = await ada.call(getTicket, { params: { ticketId: archived } });
  assert.deepEqual([old.column.id, old.archivedAt !== null], [doingId, true]);
  const { activities } = await ada.call(listActivities, { params: { ticketId: ids[0] ?? "" }, query: {} });
  const { kind, from, to, actor } = activities[0] ?? assert.fail();
  assert.deepEqual([kind, from, to, actor.name], ["ticket.moved", "Backlog", "Doing", "Ada"]);
});

test("cards move only to another column of the same board, and the last column cannot be deleted", async () => {
  const { acme, ada, file, shown, backlogId, doingId } = await team();
  await file("A", backlogId);
  const eve = await team();
  const refusal = async (client: typeof ada, columnId: string, moveTo: string) =>
    (await client("DELETE", `/columns/${columnId}?moveTo=${moveTo}`)).body.error;
  assert.equal((await ada("DELETE", `/columns/${backlogId}`)).body.error, "not_empty");
  for (const moveTo of [backlogId, acme.web.later.ideasId, acme.mobile.inbox.backlogId, eve.doingId]) {
    assert.equal(await refusal(ada, backlogId, moveTo), "column_not_found");
  }
  assert.equal(await refusal(eve.ada, backlogId, doingId), "column_not_found", "another organisation's column");
  assert.equal(await refusal(eve.ada, backlogId, eve.doingId), "column_not_found");
  assert.equal(await refusal(ada, backlogId, "nonsense"), "invalid_input");
  assert.deepEqual(await shown(), ["Backlog: A", "Doing: "]);
  await ada.call(deleteColumn, { params: { columnId: doingId }, query: {} });
  assert.equal((await ada("DELETE", `/columns/${backlogId}`)).body.error, "not_empty");
});

test("a column of 506 cards is emptied in one transaction; one of more than 10,000 is refused", async () => {
  const { acme, ada, backlogId, doingId } = await team();
  const add = (count: number) =>
    lodge.deps.pool.query(
      `insert into tickets (organisation_id, column_id, position, title, author_name)
       select $1, $2, replace(uuidv7()::text, '-', ''), 'Card', 'Ada' from generate_series(1, $3::int)`,
      [acme.id, backlogId, count],
    );
  const count = async (columnId: string) =>
    (await lodge.deps.pool.query("select from tickets where column_id = $1", [columnId])).rowCount;
  await add(10_001);
  const refused = await ada("DELETE", `/columns/${backlogId}?moveTo=${doingId}`);
  assert.deepEqual([refused.status, refused.body.error], [409, "too_many_cards"]);
  assert.deepEqual([await count(backlogId), await count(doingId)], [10_001, 0]);
  await lodge.deps.pool.query("delete from tickets where organisation_id = $1", [acme.id]);
  await add(506);
  await ada.call(deleteColumn, { params: { columnId: backlogId }, query: { moveTo: doingId } });
  assert.equal(await count(doingId), 506);
});
