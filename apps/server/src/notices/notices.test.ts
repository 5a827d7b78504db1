import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, changeTickets, listNotices, readNotices, writeComment } from "@lodge/contract/calls.generated";
import { type DashboardClient, signedIn } from "../testing/dashboard-client.ts";
import { makeOrganisation } from "../testing/make-organisation.ts";
import { startService } from "../testing/start-service.ts";
import { sweepNotices } from "./sweep-notices.ts";

const time = { now: new Date() };
const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" }, { clock: { now: () => time.now } });
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with Ada, Mel and Kim; what each is told, the newest first. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: ["Mel", "Kim"].map((name) => ({ email: `${name}@${acme.slug}.test`, name, role: "member" as const })),
  });
  const [mel, kim] = made.members.map(({ id }) => id) as [string, string];
  const as = (name: string) => signedIn(lodge, `${name}@${acme.slug}.test`.toLowerCase());
  const told = async (client: DashboardClient) =>
    (await client.call(listNotices, { query: {} })).notices.map(({ kind, actor, text }) => [kind, actor, text]);
  const file = async (fields: object = {}) =>
    `${(await lodge.fileTicket(acme.tokens.web, { title: "Red", ...fields })).body.id}`;
  return { acme, ids: { ada: acme.memberUserId, mel, kim }, as, told, file };
}

test("people are told of mentions, of tickets that become theirs, and of comments on those that they follow", async () => {
  const { acme, ids, as, told, file } = await team();
  const [ada, mel, kim] = [await as("ada"), await as("mel"), await as("kim")];
  const params = { ticketId: await file({ assigneeUserId: ids.mel }) };
  assert.deepEqual(await told(mel), [["assigned", "Web CI", null]]);
  const say = (client: DashboardClient, text: string, mentionedUserIds: string[] = []) =>
    client.call(writeComment, { params, body: { text, mentionedUserIds } });
  await say(ada, "@Kim look", [ids.kim]);
  await say(kim, "I do");
  assert.deepEqual(await told(kim), [["mentioned", "Ada", "@Kim look"]]);
  assert.deepEqual(await told(ada), [["commented", "Kim", "I do"]]);
  assert.deepEqual((await told(mel)).slice(0, 2), [
    ["commented", "Kim", "I do"],
    ["commented", "Ada", "@Kim look"],
  ]);
  await ada.call(changeTicket, { params, body: { assigneeUserId: ids.kim } });
  await kim.call(changeTicket, { params, body: { assigneeUserId: ids.kim } });
  await ada.call(changeTickets, { body: { changes: [{ ...params, assigneeUserId: acme.agentUserId }] } });
  await ada.call(changeTickets, { body: { changes: [{ ...params, assigneeUserId: ids.mel }] } });
  await mel.call(changeTicket, { params, body: { assigneeUserId: null } });
  await mel.call(changeTicket, { params, body: { assigneeUserId: ids.mel } });
  assert.deepEqual((await told(kim))[0], ["assigned", "Ada", null]);
  assert.equal((await told(mel)).length, 4, "who takes a ticket himself is not told");
  const { rows } = await lodge.deps.pool.query("select from notices where user_id = $1", [acme.agentUserId]);
  assert.deepEqual(rows, []);
});

test("a notice is read, or unread again, by whom it is for", async () => {
  const { ids, as, file } = await team();
  const [ada, mel] = [await as("ada"), await as("mel")];
  for (let number = 0; number < 60; number++) await file({ assigneeUserId: ids.mel });
  const first = await mel.call(listNotices, { query: {} });
  assert.deepEqual([first.notices.length, first.unreadCount], [50, 60]);
  const next = await mel.call(listNotices, { query: { cursor: first.nextCursor ?? "" } });
  assert.deepEqual([next.notices.length, next.nextCursor], [10, null]);
  const noticeIds = first.notices.map(({ id }) => id);
  assert.equal((await ada.call(readNotices, { body: { noticeIds } })).unreadCount, 0);
  assert.equal((await mel.call(readNotices, { body: { noticeIds } })).unreadCount, 10, "nobody else has read them");
  assert.equal((await mel.call(listNotices, { query: { unread: "only" } })).notices.length, 10);
  assert.equal(
    (await mel.call(readNotices, { body: { noticeIds: noticeIds.slice(0, 1), read: false } })).unreadCount,
    11,
  );
  assert.equal((await mel.call(readNotices, { body: {} })).unreadCount, 0);
  time.now = new Date(time.now.getTime() + 91 * 86_400_000);
  await sweepNotices(lodge.deps);
  const { rows } = await lodge.deps.pool.query("select from notices where user_id = $1", [ids.mel]);
  assert.deepEqual(rows, [], "after ninety days they are forgotten");
});
