import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, changeTickets, getTicket, moveTicket } from "@lodge/contract/calls.generated";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService());

/** An organisation with a card of Ada's, and a helper that sends the undo that a response gives. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const columnId = acme.web.inbox.backlogId;
  const file = async (title: string) => String((await ada("POST", "/tickets", { title, columnId })).body.id);
  const show = async (ticketId: string) => {
    const shown = await ada.call(getTicket, { params: { ticketId } });
    const { priority, labels, assignee, startsAt, dueAt, archivedAt, column, position } = shown;
    const archived = archivedAt !== null;
    return { priority, labels, assignee: assignee?.id, startsAt, dueAt, archived, column: column.name, position };
  };
  const undo = (changes: (TicketChange | null)[]) =>
    ada("PATCH", "/tickets", { changes: changes.filter((change) => change !== null) });
  return { acme, ada, file, show, undo };
}

test("every change of a card returns its undo, wherever the change was made", async () => {
  const { acme, ada, file, show, undo } = await team();
  const [ticketId, other] = [await file("One"), await file("Other")];
  const before = await show(ticketId);
  const params = { ticketId };
  const changes: [what: string, make: () => Promise<(TicketChange | null)[]>][] = [
    ["priority", async () => [(await ada.call(changeTicket, { params, body: { priority: "high" } })).undo]],
    ["labels", async () => [(await ada.call(changeTicket, { params, body: { labels: ["ci", "red"] } })).undo]],
    [
      "dates",
      async () => [
        (await ada.call(changeTicket, { params, body: { startsAt: "2026-03-01", dueAt: "2026-03-02" } })).undo,
      ],
    ],
    [
      "assignee",
      async () => [(await ada.call(changeTicket, { params, body: { assigneeUserId: acme.memberUserId } })).undo],
    ],
    ["archived", async () => [(await ada.call(changeTicket, { params, body: { archived: true } })).undo]],
    [
      "moved",
      async () => [
        (await ada.call(moveTicket, { params, body: { columnId: acme.web.later.ideasId, belowTicketId: null } })).undo,
      ],
    ],
    [
      "moved in its column",
      async () => [
        (await ada.call(moveTicket, { params, body: { columnId: acme.web.inbox.backlogId, belowTicketId: null } }))
          .undo,
      ],
    ],
    [
      "many at once",
      async () => {
        const dueAt = "2026-03-02";
        const both = [ticketId, other].map((id) => ({ ticketId: id, dueAt, columnId: acme.web.inbox.doingId }));
        return (await ada.call(changeTickets, { body: { changes: both } })).undo;
      },
    ],
  ];
  for (const [what, make] of changes) {
    const way = await make();
    assert.notDeepEqual(await show(ticketId), before, what);
    const answer = await undo(way);
    assert.equal(answer.status, 200, `${what}: ${answer.text}`);
    assert.deepEqual(await show(ticketId), before, what);
  }
  const { undo: ofText } = await ada.call(changeTicket, { params, body: { title: "Two" } });
  assert.equal(ofText, null, "text changes have no undo");
});

test("undo does not overwrite what somebody else changed since, and ignores the other fields", async () => {
  const { acme, ada, file, show, undo } = await team();
  const ticketId = await file("One");
  const params = { ticketId };
  const { undo: ofPriority } = await ada.call(changeTicket, { params, body: { priority: "high" } });
  const body = { columnId: acme.web.inbox.doingId, belowTicketId: null };
  const { undo: ofMove } = await ada.call(moveTicket, { params, body });
  await ada.call(changeTicket, { params, body: { priority: "low", title: "Two" } });
  const refused = await undo([ofPriority]);
  assert.deepEqual([refused.status, refused.body.error], [412, "ticket_changed"]);
  assert.equal((await show(ticketId)).priority, "low");
  assert.equal((await undo([ofMove])).status, 200);
  assert.equal((await show(ticketId)).column, "Backlog");
  assert.equal((await undo([ofMove])).body.error, "ticket_changed", "the card has moved since the change");
  const dates = { changes: [{ ticketId, startsAt: "2026-03-03", dueAt: "2026-03-02" }] };
  assert.equal((await ada("PATCH", "/tickets", dates)).body.error, "invalid_date_range");
  const { ada: eve } = await team();
  assert.equal((await eve("PATCH", "/tickets", { changes: [ofMove] })).body.error, "ticket_not_found");
});
