import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changeNoticeChoices,
  changeTicket,
  changeTickets,
  countNotices,
  getNoticeChoices,
  listNotices,
  readNotices,
  writeComment,
} from "@lodge/contract/calls.generated";
import { openOutboundAgent } from "../../platform/outbound/outbound.ts";
import type { Mail } from "../../platform/outbound/queue-mail.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService } from "../../testing/start-service.ts";
import { readEvent, submitReport } from "../../testing/submit-report.ts";
import { tellHappenings } from "./keep-telling.ts";
import { postNotices, type SlackPost, sendNotices } from "./send-notices.ts";
import { openSlackUrl, sealSlackUrl } from "./slack-url.ts";
import { sweepNotices } from "./sweep-notices.ts";

const time = { now: new Date() };
// No worker: tests read pending messages in the database.
const mail = { LODGE_SMTP_URL: "smtp://127.0.0.1:9", LODGE_MAIL_FROM: "lodge@lodge.test" };
const lodge = await startService(
  { ...mail, LODGE_TICKET_RATE_PER_MINUTE: "10000" },
  { clock: { now: () => time.now } },
);
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with Ada, Mel and Kim, and each one's notifications, the newest first. */
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

test("people are notified of mentions, assignments, and comments on tickets that they follow", async () => {
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
  assert.equal((await told(mel)).length, 4, "a person who takes a ticket gets no notification");
  const { rows } = await lodge.deps.pool.query("select from notices where user_id = $1", [acme.agentUserId]);
  assert.deepEqual(rows, []);
});

test("only their owner marks notifications read or unread", async () => {
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
  assert.deepEqual(await mel.call(countNotices), { unreadCount: 11 });
  const ticketId = next.notices[0]?.ticket?.id ?? "";
  assert.equal((await mel.call(readNotices, { body: { ticketId } })).unreadCount, 10, "only this ticket's");
  assert.equal((await ada.call(readNotices, { body: { ticketId } })).unreadCount, 0);
  assert.equal((await mel.call(readNotices, { body: {} })).unreadCount, 0);
  time.now = new Date(time.now.getTime() + 91 * 86_400_000);
  await sweepNotices(lodge.deps);
  const { rows } = await lodge.deps.pool.query("select from notices where user_id = $1", [ids.mel]);
  assert.deepEqual(rows, [], "notifications are deleted after ninety days");
});

/** Takes the queued messages of a task out of the queue. */
async function takeJobs<Payload>(task: string): Promise<Payload[]> {
  const { rows } = await lodge.deps.pool.query<{ payload: Payload }>(
    `delete from graphile_worker._private_jobs
    where task_id = (select id from graphile_worker._private_tasks where identifier = $1) returning payload`,
    [task],
  );
  return rows.map(({ payload }) => payload);
}

const pass = (ms: number) => {
  time.now = new Date(time.now.getTime() + ms);
};

test("unread notifications are sent by e-mail and to Slack as chosen, together, after a minute", async () => {
  time.now = new Date();
  const { acme, ids, as, file } = await team();
  const [ada, mel] = [await as("ada"), await as("mel")];
  const params = { ticketId: await file({ title: "Red & <b>", description: "" }) };
  const say = (text: string) => ada.call(writeComment, { params, body: { text, mentionedUserIds: [ids.mel] } });
  const send = async () => {
    await sendNotices(lodge.deps);
    return { mails: await takeJobs<Mail>("send_mail"), posts: await takeJobs<SlackPost>("post_notices") };
  };
  await say("@Mel before anything is chosen");
  assert.deepEqual(await mel.call(getNoticeChoices), { mail: [], slack: [], slackUrl: null, sendsMail: true });
  pass(61_000);
  assert.deepEqual(await send(), { mails: [], posts: [] });

  for (const body of [{ slack: ["mentioned"] }, { slackUrl: "ftp://x.test" }, { slackUrl: "x" }, { mail: ["x"] }, {}]) {
    assert.equal((await mel("PATCH", "/notices/choices", body)).body.error, "invalid_input", JSON.stringify(body));
  }
  const slackUrl = "https://hooks.slack.test/services/T/B/x";
  const body = { mail: ["mentioned" as const, "assigned" as const], slack: ["mentioned" as const], slackUrl };
  assert.deepEqual(await mel.call(changeNoticeChoices, { body }), { ...body, sendsMail: true });
  pass(1);
  await say(`@Mel look\n![shot.png](/api/dashboard/images/${randomUUID()})`);
  assert.deepEqual(await send(), { mails: [], posts: [] }, "a notification is held for a minute, in case it is read");
  pass(30_000);
  await file({ title: "Yours", assigneeUserId: ids.mel });
  await ada.call(writeComment, { params, body: { text: "not wanted" } });
  pass(61_000);
  const { mails, posts } = await send();
  assert.deepEqual(
    mails.map(({ to, subject }) => [to, subject]),
    [[`mel@${acme.slug}.test`, `2 notifications in Acme`]],
  );
  const { url } = lodge;
  assert.equal(
    mails[0]?.text.replaceAll(/[0-9a-f-]{36}/g, "ID").replace(/WEB-\d /g, ""),
    [
      "Hello Mel,",
      `Ada mentioned you on Red & <b>\n> @Mel look\n> (image)\n${url}/tickets/ID`,
      `Web CI assigned you Yours\n${url}/tickets/ID`,
      `Choose what Lodge sends you: ${url}/profile\n`,
    ].join("\n\n"),
  );
  const link = `<${url}/tickets/${params.ticketId}|Red &amp; &lt;b&gt;>`;
  assert.deepEqual(
    posts.map(({ text, ...post }) => [
      text.replace(/WEB-\d /, ""),
      openSlackUrl(lodge.deps.sealing, post, post.slackUrl),
    ]),
    [[`Ada mentioned you on ${link}\n>@Mel look (image)`, slackUrl]],
  );
  pass(61_000);
  assert.deepEqual(await send(), { mails: [], posts: [] }, "once");

  await say("@Mel again");
  await mel.call(readNotices, { body: {} });
  pass(61_000);
  assert.deepEqual(await send(), { mails: [], posts: [] }, "read notifications are not sent");
  await say("@Mel and again");
  await ada("DELETE", `/members/${ids.mel}`);
  pass(61_000);
  assert.deepEqual(await send(), { mails: [], posts: [] }, "removed members get no notifications");
});

test("members who chose e-mail for new problems get one message a minute, with a link to each problem", async () => {
  time.now = new Date();
  const { acme, as, told } = await team();
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    apps: [{ name: "Shop", slug: "mailed", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const mel = await as("mel");
  const chosen = ["problem_new" as const, "problem_back" as const, "problem_spike" as const];
  await mel.call(changeNoticeChoices, { body: { mail: chosen } });
  pass(1);
  for (const type of ["TypeError", "RangeError", "TypeError"]) {
    const envelope = { reportId: randomUUID(), error: { type, message: "no <cart>" }, app: { version: "1.0" } };
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope);
    await readEvent(lodge.deps, app.id, eventId);
  }
  await tellHappenings(lodge.deps);
  assert.equal((await told(mel)).length, 2);
  pass(61_000);
  await sendNotices(lodge.deps);
  const mails = await takeJobs<Mail>("send_mail");
  assert.deepEqual(
    mails.map(({ to, subject }) => [to, subject]),
    [[`mel@${acme.slug}.test`, "2 notifications in Acme"]],
  );
  assert.equal(
    mails[0]?.text.replaceAll(/[0-9a-f-]{36}/g, "ID"),
    [
      "Hello Mel,",
      `Lodge says: New in Shop: TypeError: no <cart> (1.0)\n${lodge.url}/problems/ID`,
      `Lodge says: New in Shop: RangeError: no <cart> (1.0)\n${lodge.url}/problems/ID`,
      `Choose what Lodge sends you: ${lodge.url}/profile\n`,
    ].join("\n\n"),
  );
});

test("a post that Slack refuses is given up, and one that fails temporarily is retried", async () => {
  let status = 200;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  const agent = openOutboundAgent(["127.0.0.1"], lodge.deps.resolveHost);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => agent.close());
  const member = { organisationId: randomUUID(), userId: randomUUID() };
  const slackUrl = sealSlackUrl(lodge.deps.sealing, member, receiver.url);
  const post = (queuedAt = new Date()) =>
    postNotices(lodge.deps, agent, { ...member, slackUrl, text: "Ada <x>" }, queuedAt);
  await post();
  assert.equal(receiver.received[0]?.body.toString(), '{"text":"Ada <x>"}');
  status = 404;
  await post();
  status = 503;
  await assert.rejects(post(), /503/);
  await post(new Date(Date.now() - 73 * 3_600_000));
});
