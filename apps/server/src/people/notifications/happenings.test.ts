import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import {
  createHook,
  deleteHook,
  getNoticeChoices,
  listHooks,
  listNotices,
  rotateHookSecret,
} from "@lodge/contract/calls.generated";
import * as runners from "@lodge/contract/runners";
import { Webhook } from "standardwebhooks";
import { expireLeases } from "../../board/agents/keep-runs.ts";
import { openOutboundAgent } from "../../platform/outbound/outbound.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { warnOfQuota } from "../installs/warn-of-quota.ts";
import { tellHappenings } from "./keep-telling.ts";
import { type HookPost, postHappening } from "./post-happening.ts";
import { sendNotices } from "./send-notices.ts";
import { warnOfDisks } from "./warn-of-disks.ts";

const clock = movableClock();
// No worker: tests read pending messages in the database.
const mail = { LODGE_SMTP_URL: "smtp://127.0.0.1:9", LODGE_MAIL_FROM: "lodge@lodge.test" };
const lodge = await startService(mail, { clock });
after(() => lodge[Symbol.asyncDispose]());

const take = async <T>(task: string) =>
  (
    await lodge.deps.pool.query<{ payload: T }>(
      `delete from graphile_worker._private_jobs
       where task_id = (select id from graphile_worker._private_tasks where identifier = $1) returning payload`,
      [task],
    )
  ).rows.map(({ payload }) => payload);

/** An organisation with Ada, its owner, and the members Mel and Bob. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug, monthlyInstallLimit: 10 },
    members: ["Mel", "Bob"].map((name) => ({ email: `${name}@${acme.slug}.test`, name, role: "member" as const })),
    runners: [{ name: "one" }],
  });
  const as = (name: string) => signedIn(lodge, `${name}@${acme.slug}.test`);
  const call = createCaller({ baseUrl: lodge.url, headers: { authorization: `Bearer ${made.runners[0]?.secret}` } });
  const mustTake = async () => {
    const { run } = await call(runners.takeRun, { body: { takeId: randomUUID() } });
    assert.ok(run);
    return run;
  };
  return { acme, ada: await as("ada"), mel: await as("mel"), bob: await as("bob"), call, mustTake };
}

const told = async (client: DashboardClient) =>
  (await client.call(listNotices, { query: {} })).notices.map(({ kind, ticket, text }) => [kind, ticket?.title, text]);

test("followers of a ticket are notified of its runs, and admins of waiting runs, each once", async () => {
  const { acme, ada, mel, bob, call, mustTake } = await team();
  const { body } = await lodge.fileTicket(acme.tokens.web, { title: "Red" });
  const ticketId = body.id as string;
  await mel("PATCH", `/tickets/${ticketId}`, { assigneeUserId: acme.agentUserId });
  const run = await mustTake();
  const params = { runId: run.id };
  await call(runners.askForInput, { params, body: { fence: run.fence, text: "Which one?" } });
  await tellHappenings(lodge.deps);
  clock.move(1_000);
  await call(runners.finishRun, { params, body: { fence: run.fence, outcome: "succeeded", summary: "Fixed." } });
  await Promise.all([tellHappenings(lodge.deps), tellHappenings(lodge.deps)]);
  assert.deepEqual(await told(mel), [
    ["run_finished", "Red", "Fixed."],
    ["run_asked", "Red", "Which one?"],
  ]);
  await lodge.deps.db.updateTable("organisations").set({ credits: 0 }).where("id", "=", acme.id).execute();
  await lodge.fileTicket(acme.tokens.web, { title: "Blue", assigneeUserId: acme.agentUserId });
  await tellHappenings(lodge.deps);
  assert.deepEqual(await told(ada), [["run_held", "Blue", "The organisation has no credits left."]]);
  assert.deepEqual(await told(bob), []);
  assert.deepEqual((await mel.call(getNoticeChoices)).mail, []);
  assert.ok((await ada.call(getNoticeChoices)).mail.includes("run_held"));
  clock.move(61_000);
  await sendNotices(lodge.deps);
  const mails = await take<{ to: string; subject: string; text: string }>("send_mail");
  assert.deepEqual(
    mails.filter(({ to }) => to.endsWith(`${acme.slug}.test`)).map(({ to, subject }) => [to, subject]),
    [[`ada@${acme.slug}.test`, "Agent cannot start work on Blue"]],
  );
  await expireLeases(lodge.deps);
});

test("admins are notified at 80 % and 100 % of a month's installs and of a suspension, once each", async () => {
  const { acme, ada, mel } = await team();
  const month = `${clock.now().toISOString().slice(0, 7)}-01`;
  const count = async (installs: number) => {
    await lodge.deps.pool.query(
      `insert into allowance_months (organisation_id, month, install_limit, decides, installs) values ($1, $2, 10, true, $3)
       on conflict (organisation_id, month) do update set installs = excluded.installs`,
      [acme.id, month, installs],
    );
    await warnOfQuota(lodge.deps);
    await warnOfQuota(lodge.deps);
    await tellHappenings(lodge.deps);
    return (await told(ada)).map(([kind, , text]) => [kind, /(\d+ %)/.exec(`${text}`)?.[1]]);
  };
  assert.deepEqual(await count(7), []);
  assert.deepEqual(await count(8), [["quota_warning", "80 %"]]);
  assert.deepEqual((await count(11))[0], ["quota_warning", "100 %"]);
  assert.equal((await count(12)).length, 2);
  await lodge.deps.pool.query(
    `insert into suspensions (organisation_id, since, ends_on) values ($1, $2, $2::date + interval '2 months')`,
    [acme.id, month],
  );
  assert.deepEqual((await count(12))[0], ["organisation_suspended", undefined]);
  assert.deepEqual(await told(mel), []);
});

test("admins of all organisations are notified once a day that a disk is nearly full", async () => {
  await using full = await startService({ LODGE_DISK_RESERVE: "1000000000000000" }, { clock });
  const acme = await makeOrganisation(full);
  await warnOfDisks(lodge.deps);
  await warnOfDisks(full.deps);
  await warnOfDisks(full.deps);
  await tellHappenings(full.deps);
  const ada = await signedIn(full, `ada@${acme.slug}.test`);
  const [only, ...more] = await told(ada);
  assert.deepEqual([only?.[0], more], ["disk_low", []]);
  assert.match(`${only?.[2]}`, /disk is nearly full: reports are refused/);
  const { rows } = await lodge.deps.pool.query("select from happenings where kind = 'disk.low'");
  assert.equal(rows.length, 0, "a server with free disk space notifies nobody");
});

test("the organisation's webhook gets alerts, signed; its failures notify nobody", async () => {
  const { acme, ada, mel, call, mustTake } = await team();
  let status = 500;
  await using receiver = await startReceiver((_request, response) => void response.writeHead(status).end());
  const { hook, secret } = await ada.call(createHook, { body: { url: receiver.url } });
  await assert.rejects(ada.call(createHook, { body: { url: "ftp://x.test" } }), { code: "invalid_input" });
  assert.equal((await mel("GET", "/hooks")).body.error, "forbidden");
  const { body } = await lodge.fileTicket(acme.tokens.web, { title: "Red", assigneeUserId: acme.agentUserId });
  const run = await mustTake();
  await call(runners.finishRun, {
    params: { runId: run.id },
    body: { fence: run.fence, outcome: "failed", failure: "command_failed" },
  });
  await tellHappenings(lodge.deps);
  const [post, ...more] = await take<HookPost>("post_happening");
  assert.ok(post);
  assert.deepEqual(more, []);
  const agent = openOutboundAgent(["127.0.0.0/8"], lodge.deps.resolveHost);
  try {
    const send = (queuedAt = new Date()) => postHappening(lodge.deps, agent, post, queuedAt);
    await assert.rejects(send(), /answered 500/);
    assert.match((await ada.call(listHooks)).hooks[0]?.lastFailure ?? "", /answered 500/);
    await send(new Date(0)); // given up
    status = 204;
    await send();
    assert.equal((await ada.call(listHooks)).hooks[0]?.lastFailure, null);
    const [first, , last] = receiver.received;
    assert.ok(first && last);
    const headers = last.headers as Record<string, string>;
    const message = new Webhook(secret).verify(last.body, headers) as { type: string; data: object };
    assert.equal(message.type, "run.finished");
    assert.deepEqual(message.data, {
      organisationId: acme.id,
      runId: run.id,
      ticketId: body.id,
      state: "failed",
      reason: "command_failed",
    });
    assert.equal(first.headers["webhook-id"], headers["webhook-id"]);

    const rotated = await ada.call(rotateHookSecret, { params: { hookId: hook.id } });
    assert.ok((await ada.call(listHooks)).hooks[0]?.previousSecretEndsAt);
    await send();
    const both = receiver.received[3];
    assert.ok(both);
    for (const each of [secret, rotated.secret]) {
      new Webhook(each).verify(both.body, both.headers as Record<string, string>);
    }
    const latest = await ada.call(rotateHookSecret, { params: { hookId: hook.id } });
    await send();
    const [, , , , after] = receiver.received;
    assert.ok(after);
    new Webhook(latest.secret).verify(after.body, after.headers as Record<string, string>);
    assert.throws(() => new Webhook(secret).verify(after.body, after.headers as Record<string, string>));
    await tellHappenings(lodge.deps);
    assert.deepEqual(await take("post_happening"), [], "a failed webhook causes no further message");
    await ada.call(deleteHook, { params: { hookId: hook.id } });
    await assert.rejects(ada.call(deleteHook, { params: { hookId: hook.id } }), { code: "hook_not_found" });
    await send();
    assert.equal(receiver.received.length, 5);
  } finally {
    await agent.close();
  }
});

test("admins are notified of a disabled subscriber, and of the first failed delivery of a day", async () => {
  await using receiver = await startReceiver(
    (request, response) => void response.writeHead(request.path === "/gone" ? 410 : 500).end(),
  );
  await using worked = await startService({
    ...withWorker,
    LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms",
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  });
  const { apps } = await worked.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner" }],
    apps: [
      {
        name: "iOS",
        slug: "ios",
        keys: ["default"],
        subscribers: [
          { kind: "webhook", url: `${receiver.url}/gone` },
          { kind: "webhook", url: `${receiver.url}/down` },
        ],
      },
    ],
  });
  const ada = await signedIn(worked, "ada@acme.test");
  const key = apps[0]?.keys[0]?.key ?? "";
  const kinds = async () => (await told(ada)).map(([kind]) => kind).sort();
  await submitReport(worked.url, key, { reportId: "1" });
  await until(async () => (await kinds()).length === 2);
  assert.deepEqual(await kinds(), ["delivery_dead", "subscriber_disabled"]);
  const texts = (await told(ada)).map(([, , text]) => `${text}`).sort();
  const { host } = new URL(receiver.url);
  assert.deepEqual(texts, [
    `A delivery to the subscriber ${host} of iOS failed permanently. It answered 500.`,
    `The subscriber ${host} of iOS was disabled. It answered 410 Gone.`,
  ]);
  await submitReport(worked.url, key, { reportId: "2" });
  const dead = async () => (await worked.deps.pool.query("select from deliveries where state = 'dead'")).rowCount === 3;
  await until(dead);
  assert.equal((await kinds()).length, 2);
});
