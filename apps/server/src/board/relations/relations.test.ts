import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changeTicket,
  createTicket,
  deleteTicket,
  getTicket,
  listActivities,
  listComments,
  listNotices,
  listNumberedCards,
  listRelations,
  makeTaskCard,
  moveTicket,
  purgeTicket,
  relateTickets,
  removeRelation,
  restoreTickets,
  writeComment,
} from "@lodge/contract/calls.generated";
import type { RelateTickets } from "@lodge/contract/dashboard/relations";
import { relationsMax } from "@lodge/contract/limits";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" }));

/** An organisation with its owner Ada and its member Mel, and helpers to file, relate and read tickets. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const email = `mel@${acme.slug}.test`;
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email, name: "Mel", role: "member" }],
  });
  const [ada, mel] = [await signedIn(lodge, `ada@${acme.slug}.test`), await signedIn(lodge, email)];
  const file = async (title: string, columnId = acme.web.inbox.backlogId, description = "") =>
    (await mel.call(createTicket, { body: { title, columnId, description } })).id;
  const relate = (ticketId: string, kind: RelateTickets["kind"], otherId: string) =>
    mel.call(relateTickets, { params: { ticketId }, body: { kind, otherId } });
  const remove = (ticketId: string, otherId: string) => mel.call(removeRelation, { params: { ticketId, otherId } });
  const related = async (ticketId: string) =>
    (await mel.call(listRelations, { params: { ticketId } })).relations.map(
      ({ kind, card }) => `${kind} ${card.title}`,
    );
  const say = (ticketId: string, text: string) => ada.call(writeComment, { params: { ticketId }, body: { text } });
  const said = async (ticketId: string) =>
    (await mel.call(listComments, { params: { ticketId }, query: {} })).comments.map(({ text }) => text);
  const read = (ticketId: string) => mel.call(getTicket, { params: { ticketId } });
  const history = async (ticketId: string) =>
    (await mel.call(listActivities, { params: { ticketId }, query: {} })).activities;
  return { acme, ada, mel, file, relate, remove, related, say, said, read, history };
}

const refusedAs = (error: string) => (thrown: unknown) => (thrown as { code?: string }).code === error;

test("both cards show a relation until it is removed from either, and their histories say who added it and that it was removed", async () => {
  const { acme, file, relate, remove, related, history, read } = await team();
  const [checkout, tax] = [await file("Checkout"), await file("Tax", acme.mobile.inbox.backlogId)];
  const { relations } = await relate(checkout, "blockedBy", tax);
  const { number } = await read(tax);
  assert.deepEqual(relations, [
    { kind: "blockedBy", card: { id: tax, number, title: "Tax", done: false, archived: false } },
  ]);
  assert.deepEqual(await related(tax), ["blocks Checkout"]);
  const [entry] = await history(checkout);
  assert.deepEqual(
    [entry?.kind, entry?.relation, entry?.otherNumber, entry?.actor.name],
    ["ticket.related", "blockedBy", "MOBILE-1", "Mel"],
  );
  assert.deepEqual([(await history(tax))[0]?.relation, (await history(tax))[0]?.otherNumber], ["blocks", "WEB-1"]);
  await assert.rejects(relate(tax, "relatesTo", checkout), refusedAs("already_related"));
  await remove(tax, checkout);
  assert.deepEqual([await related(checkout), await related(tax)], [[], []]);
  assert.equal((await history(checkout))[0]?.kind, "ticket.unrelated");
  await assert.rejects(remove(tax, checkout), refusedAs("relation_not_found"));
});

test("marking a duplicate closes it and moves its comments and occurrences to the other card; removing the relation moves them back", async () => {
  const { acme, mel, ada, relate, remove, related, say, said, read, history, file } = await team();
  const fileNightly = async () =>
    (await lodge.fileTicket(acme.tokens.web, { title: "Red again", problem: "nightly" })).body as Record<
      string,
      string
    >;
  const { id: duplicate = "" } = await fileNightly();
  await fileNightly();
  const original = await file("Nightly is red");
  const above = await file("Above");
  await mel.call(writeComment, { params: { ticketId: duplicate }, body: { text: "mine" } });
  await say(duplicate, "one");
  await say(original, "two");
  await say(duplicate, "three");
  const before = await read(duplicate);
  assert.deepEqual(await said(duplicate), ["mine", "one", "three"]);

  await relate(duplicate, "duplicateOf", original);
  assert.deepEqual([await said(duplicate), await said(original)], [[], ["mine", "one", "two", "three"]]);
  const closed = await read(duplicate);
  assert.deepEqual([closed.column.name, closed.doneAt !== null, closed.problem], ["Doing", true, null]);
  const merged = await read(original);
  assert.deepEqual([merged.occurrences, merged.problem, merged.commentCount], [2, "nightly", 4]);
  assert.deepEqual(
    [await related(duplicate), await related(original)],
    [["duplicateOf Nightly is red"], ["hasDuplicate Red again"]],
  );
  const entry = (await history(original)).find(({ kind }) => kind === "ticket.related");
  assert.deepEqual([entry?.relation, entry?.otherNumber, entry?.movedComments], ["hasDuplicate", "WEB-1", 3]);
  const { notices } = await mel.call(listNotices, { query: {} });
  assert.deepEqual(
    notices.filter(({ text }) => text === "three").map(({ ticket }) => ticket?.id),
    [original],
    "the notification links to the card that has the comment now",
  );
  assert.equal((await fileNightly()).id, original, "the next occurrence counts on the card that is open");
  await say(original, "four");

  await remove(original, duplicate);
  assert.deepEqual(
    [await said(duplicate), await said(original)],
    [
      ["mine", "one", "three"],
      ["two", "four"],
    ],
  );
  const back = await read(duplicate);
  assert.deepEqual(
    [back.column.name, back.position, back.doneAt, back.problem, back.occurrences],
    [before.column.name, before.position, null, "nightly", 2],
  );
  assert.deepEqual([(await read(original)).problem, (await read(original)).occurrences], [null, 1]);
  assert.ok(back.position < (await read(above)).position);
  await ada.call(getTicket, { params: { ticketId: duplicate } });
});

test("a former duplicate is reopened where it was, unless somebody has moved it", async () => {
  const { acme, mel, file, relate, remove, read } = await team();
  const [original, unmoved, moved] = [await file("Original"), await file("Unmoved"), await file("Moved")];
  const { ideasId, chosenId } = acme.web.later;
  await relate(unmoved, "duplicateOf", original);
  await remove(unmoved, original);
  assert.equal((await read(unmoved)).doneAt, null);
  await relate(moved, "duplicateOf", original);
  await mel.call(moveTicket, { params: { ticketId: moved }, body: { columnId: ideasId, belowTicketId: null } });
  await remove(moved, original);
  assert.deepEqual([(await read(moved)).column.name, (await read(moved)).doneAt], ["Ideas", null]);
  await relate(moved, "duplicateOf", original);
  const closed = await read(moved);
  assert.deepEqual([closed.columnId, closed.doneAt !== null], [chosenId, true]);
  await mel.call(changeTicket, { params: { ticketId: moved }, body: { archived: true } });
  await remove(moved, original);
  assert.deepEqual([(await read(moved)).archivedAt, (await read(moved)).column.name], [null, "Ideas"]);
  // A board with one column has no column for done cards, so the duplicate is archived. Removing the relation restores it.
  const only = await file("Only", acme.mobile.inbox.backlogId);
  await relate(only, "duplicateOf", original);
  assert.notEqual((await read(only)).archivedAt, null);
  await remove(original, only);
  assert.deepEqual([(await read(only)).archivedAt, (await read(only)).doneAt], [null, null]);
});

test("the comments of a duplicate of a duplicate move along and back, and cycles are refused", async () => {
  const { file, relate, remove, say, said } = await team();
  const [a, b, c] = [await file("A"), await file("B"), await file("C")];
  for (const [id, text] of [
    [a, "of a"],
    [b, "of b"],
    [c, "of c"],
  ] as const) {
    await say(id, text);
  }
  await relate(a, "duplicateOf", b);
  await relate(b, "duplicateOf", c);
  assert.deepEqual(await said(c), ["of a", "of b", "of c"]);
  await assert.rejects(relate(c, "duplicateOf", a), refusedAs("duplicate_cycle"));
  await assert.rejects(relate(a, "duplicateOf", c), refusedAs("already_related"));
  assert.deepEqual(await said(c), ["of a", "of b", "of c"], "refused relations move no comments");
  await remove(a, b);
  assert.deepEqual([await said(a), await said(c)], [["of a"], ["of b", "of c"]]);
  await remove(b, c);
  assert.deepEqual([await said(a), await said(b), await said(c)], [["of a"], ["of b"], ["of c"]]);
  const [one, other] = await Promise.allSettled([relate(a, "duplicateOf", b), relate(b, "duplicateOf", a)]);
  assert.deepEqual([one.status, other.status].sort(), ["fulfilled", "rejected"]);
});

test("a relation is hidden while one of its cards is in the trash, and deleted with the card", async () => {
  const { mel, ada, file, relate, remove, related } = await team();
  const [kept, trashed] = [await file("Kept"), await file("Trashed")];
  await relate(trashed, "blocks", kept);
  await mel.call(deleteTicket, { params: { ticketId: trashed } });
  assert.deepEqual(await related(kept), []);
  await assert.rejects(related(trashed), refusedAs("ticket_not_found"));
  await assert.rejects(remove(kept, trashed), refusedAs("relation_not_found"));
  await assert.rejects(relate(kept, "relatesTo", trashed), refusedAs("ticket_not_found"));
  await mel.call(restoreTickets, { body: { ticketIds: [trashed] } });
  assert.deepEqual(await related(kept), ["blockedBy Trashed"]);
  await mel.call(deleteTicket, { params: { ticketId: trashed } });
  await ada.call(purgeTicket, { params: { ticketId: trashed } });
  const { rowCount } = await lodge.deps.pool.query(
    "select from ticket_relations where ticket_id = $1 or other_id = $1",
    [kept],
  );
  assert.equal(rowCount, 0);
});

test("a card cannot be related to itself, to another organisation's card, or to more than 100 cards", async () => {
  const { acme, mel, file, relate, related } = await team();
  const other = await team();
  const theirs = await other.file("Theirs");
  const ticketId = await file("Mine");
  assert.deepEqual((await mel("POST", `/tickets/${ticketId}/relations`, { kind: "blocks", otherId: ticketId })).body, {
    ...(await mel("POST", `/tickets/${ticketId}/relations`, { kind: "blocks", otherId: ticketId })).body,
    error: "invalid_input",
    details: [{ path: "/otherId", message: "must be another ticket" }],
  });
  const answerOf = async (otherId: string) => {
    const { status, body } = await mel("POST", `/tickets/${ticketId}/relations`, { kind: "duplicateOf", otherId });
    return [status, body.error, body.message];
  };
  assert.deepEqual(await answerOf(theirs), await answerOf(randomUUID()));
  assert.equal((await answerOf(theirs))[1], "ticket_not_found");
  await assert.rejects(
    other.mel.call(removeRelation, { params: { ticketId, otherId: theirs } }),
    refusedAs("relation_not_found"),
  );
  assert.equal(
    (await mel("POST", `/tickets/${ticketId}/relations`, { kind: "hasDuplicate", otherId: ticketId })).status,
    400,
  );
  await lodge.deps.pool.query(
    `with filed as (
      insert into tickets (organisation_id, column_id, position, title, author_name)
      select $1, $2, 'f' || n, 'Related', 'a test' from generate_series(1, $4::integer) n returning id)
    insert into ticket_relations (organisation_id, ticket_id, other_id, kind, created_at)
    select $1, $3, id, 'relates', now() from filed`,
    [acme.id, acme.web.inbox.backlogId, ticketId, relationsMax],
  );
  assert.equal((await related(ticketId)).length, relationsMax);
  const another = await file("Another");
  await assert.rejects(relate(ticketId, "relatesTo", another), refusedAs("too_many_relations"));
  await assert.rejects(relate(another, "blocks", ticketId), refusedAs("too_many_relations"));
});

test("ticket numbers are looked up in one request, in the organisation only and not in the trash", async () => {
  const { acme, mel, file, read } = await team();
  const other = await team();
  // A ticket gets its number when it is read.
  await other.read(await other.file("Theirs"));
  await other.read(await other.file("Theirs, too"));
  const ticketId = await file("Mine");
  await read(ticketId);
  const mobile = await file("Small", acme.mobile.inbox.backlogId);
  await read(mobile);
  await mel.call(changeTicket, { params: { ticketId: mobile }, body: { archived: true } });
  const find = async (numbers: string) =>
    (await mel.call(listNumberedCards, { query: { numbers } })).cards
      .map(({ number, title, archived }) => [number, title, archived])
      .sort();
  assert.deepEqual(await find("web-1,WEB-1,MOBILE-1,WEB-2,UTF-8,NO-SUCH-1"), [
    ["MOBILE-1", "Small", true],
    ["WEB-1", "Mine", false],
  ]);
  await mel.call(deleteTicket, { params: { ticketId } });
  assert.deepEqual(await find("WEB-1"), []);
  const tooMany = await mel("GET", `/numbers?numbers=${Array.from({ length: 51 }, (_, n) => `A-${n}`).join()}`);
  assert.deepEqual(
    [tooMany.status, tooMany.body.details],
    [400, [{ path: "/numbers", message: "must have at most 50 numbers" }]],
  );
  for (const numbers of ["", "WEB", "WEB-1,", "WEB-1, WEB-2"]) {
    assert.equal((await mel("GET", `/numbers?numbers=${encodeURIComponent(numbers)}`)).status, 400, numbers);
  }
});

test("a task becomes a related card on the same board, and the card's number replaces the task's text", async () => {
  const { acme, ada, mel, file, related, read, said } = await team();
  const description = "Before:\r\n- [ ] **Write** it\r\n  - [x] Test it\r\n- [ ] Ship it";
  const ticketId = await file("Plan", acme.web.inbox.doingId, description);
  const make = (line: number, task: string, commentId?: string) =>
    mel.call(makeTaskCard, { params: { ticketId }, body: { line, task, ...(commentId && { commentId }) } });
  const card = await make(2, "Test it");
  assert.deepEqual([card.title, card.number, card.columnId], ["Test it", "WEB-2", acme.web.inbox.backlogId]);
  assert.equal((await read(ticketId)).description, description.replace("Test it", "WEB-2"));
  assert.deepEqual([await related(ticketId), await related(card.id)], [["relatesTo Test it"], ["relatesTo Plan"]]);
  for (const [line, task] of [
    [2, "Test it"],
    [0, "Before:"],
    [99, "Ship it"],
  ] as const) {
    await assert.rejects(
      make(line, task),
      refusedAs("text_changed"),
      "no card is filed if the line does not have the task",
    );
  }
  const long = "x".repeat(250);
  const own = await mel.call(writeComment, { params: { ticketId }, body: { text: `- [ ] ${long}` } });
  const cut = await make(0, long, own.id);
  assert.deepEqual([cut.title, cut.description, await said(ticketId)], [long.slice(0, 200), long, ["- [ ] WEB-3"]]);
  const hers = await ada.call(writeComment, { params: { ticketId }, body: { text: "- [ ] hers" } });
  await assert.rejects(make(0, "hers", hers.id), refusedAs("forbidden"));
  await assert.rejects(make(0, "hers", randomUUID()), refusedAs("comment_not_found"));
  const { rows } = await lodge.deps.pool.query("select from tickets where organisation_id = $1", [acme.id]);
  assert.equal(rows.length, 3);
});
