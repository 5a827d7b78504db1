import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changeApp,
  changeProblem,
  createHook,
  createSubscriber,
  eraseReports,
  getApp,
  listEventDeliveries,
  listNotices,
  viewInbox,
} from "@lodge/contract/calls.generated";
import type { SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import type { EventData } from "@lodge/contract/events";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { makePatientDatabase, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const patient = started.use(await makePatientDatabase());
const settings = { ...withWorker, ...patient.env, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" };
const lodge = started.use(await startService(settings, patient.overrides));
const receiver = started.use(await startReceiver());

async function team() {
  const slug = `acme-${randomUUID()}`;
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [
      { email: `ada@${slug}.test`, name: "Ada", role: "owner" },
      { email: `mel@${slug}.test`, name: "Mel", role: "member" },
    ],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const mel = await signedIn(lodge, `mel@${slug}.test`);
  const report = (version: string, more: object = {}) =>
    submitReport(lodge.url, app.keys[0]?.key ?? "", {
      reportId: randomUUID(),
      error: { type: "TypeError", message: "x is undefined" },
      app: { version, environment: "production" },
      user: { id: "u-7" },
      ...more,
    });
  const subscribe = async (path: string, filter: SubscriberFilter | null) => {
    const url = `${receiver.url}/${slug}${path}`;
    await ada.call(createSubscriber, { params: { appId: app.id }, body: { kind: "webhook", url, filter } });
  };
  const bodies = (path: string) =>
    receiver.received
      .filter((message) => message.path === `/${slug}${path}`)
      .map(
        ({ body }) => JSON.parse(body.toString()) as { type: string; data: EventData & { problem: { url: string } } },
      );
  const problem = async () => {
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query: { state: "any" } });
    const [entry] = entries;
    assert.ok(entry?.type === "problem");
    return entry.problem;
  };
  return { slug, appId: app.id, ada, mel, report, subscribe, bodies, problem };
}

const notificationsOf = async (client: DashboardClient) =>
  (await client.call(listNotices, { query: {} })).notices.map(({ kind, text, problemId }) => ({
    kind,
    text,
    problemId,
  }));

/** Waits until a member has this many notifications of a kind. */
const untilNotified = (client: DashboardClient, kind: string, count = 1) =>
  until(
    async () => (await notificationsOf(client)).filter((notification) => notification.kind === kind).length === count,
  );

test("a new problem notifies the team once, and each message about it names the problem", async () => {
  const { slug, ada, mel, report, subscribe, bodies, problem } = await team();
  await subscribe("/all", null);
  await subscribe("/firsts", { firstOfProblem: true });
  await ada.call(createHook, { body: { url: `${receiver.url}/${slug}/hook` } });
  const { eventId } = await report("1.0");
  await until(() => bodies("/all").length === 1);
  const { id } = await problem();
  const [first] = bodies("/all");
  assert.equal(first?.data.url, `${lodge.url}/events/${eventId}`);
  const expected = { id, url: `${lodge.url}/problems/${id}`, title: "TypeError: x is undefined", users: 1 };
  const fresh = { ...expected, isNew: true, isBack: false, events: 1, isUserCountExact: true };
  assert.deepEqual(first?.data.problem, fresh);
  await report("1.0");
  await until(() => bodies("/all").length === 2);
  assert.deepEqual(bodies("/all")[1]?.data.problem, { ...fresh, isNew: false, events: 2 });
  assert.equal(bodies("/firsts").length, 1);

  await Promise.all([untilNotified(ada, "problem_new"), untilNotified(mel, "problem_new")]);
  assert.deepEqual(await notificationsOf(mel), [
    { kind: "problem_new", text: "New in Shop: TypeError: x is undefined (1.0, production)", problemId: id },
  ]);
  await until(() => bodies("/hook").length === 1);
  const [hook] = bodies("/hook");
  assert.equal(hook?.type, "problem.new");
  const { isUserCountExact: _, ...ofHook } = fresh;
  assert.deepEqual(hook?.data.problem, ofHook);

  const single = await report("1.0", { kind: "feedback", error: undefined, title: "Nice" });
  await until(() => bodies("/all").length === 3);
  assert.equal(bodies("/all")[2]?.data.problem, null);
  assert.equal(bodies("/all")[2]?.data.eventId, single.eventId);
});

test("a reopened problem is announced once, to the team and to subscribers that want it; a muted one is not", async () => {
  const { ada, mel, report, subscribe, bodies, problem } = await team();
  await subscribe("/back", { back: true, environments: ["production"] });
  await subscribe("/elsewhere", { back: true, environments: ["staging"] });
  await report("1.0");
  await untilNotified(mel, "problem_new");
  const params = { problemId: (await problem()).id };
  await ada.call(changeProblem, { params, body: { state: "resolved", version: "1.0" } });
  await report("1.0");
  const newer = await Promise.all([report("1.1"), report("1.1"), report("1.1")]);
  await untilNotified(mel, "problem_back");
  await until(() => bodies("/back").length === 1);
  const [back] = bodies("/back");
  assert.deepEqual([back?.data.problem?.isNew, back?.data.problem?.isBack], [false, true]);
  const eventId = back?.data.eventId ?? "";
  assert.ok(newer.some((sent) => sent.eventId === eventId));
  const { deliveries, filtered } = await ada.call(listEventDeliveries, { params: { eventId } });
  assert.deepEqual([deliveries.length, filtered.map(({ by }) => by)], [1, ["environment"]]);

  await ada.call(changeProblem, { params, body: { state: "muted" } });
  await report("2.0");
  const last = await report("2.0", { error: { type: "RangeError", message: "another" } });
  await untilNotified(mel, "problem_new", 2);
  assert.equal((await notificationsOf(mel)).length, 3);
  assert.equal((await notificationsOf(ada)).filter(({ kind }) => kind === "problem_back").length, 1);
  assert.ok(last.eventId);
  assert.equal(bodies("/back").length, 1);
});

test("a burst of one problem is one spike, for the app's limit and for a subscriber's", async () => {
  const { appId, ada, mel, report, subscribe, bodies, problem } = await team();
  const params = { appId };
  const spike = { events: 20, minutes: 10 };
  assert.deepEqual((await ada.call(changeApp, { params, body: { spike } })).spike, spike);
  assert.equal((await mel("PATCH", `/apps/${appId}`, { spike: null })).body.error, "forbidden");
  assert.equal(
    (await ada("PATCH", `/apps/${appId}`, { spike: { events: 0, minutes: 1 } })).body.error,
    "invalid_input",
  );
  await subscribe("/spike", { spike: { events: 30, minutes: 10 } });
  await Promise.all(Array.from({ length: 20 }, () => report("1.0")));
  await untilNotified(mel, "problem_new");
  await until(async () => (await problem()).eventCount === 20);
  assert.deepEqual((await notificationsOf(mel)).length, 1);
  await Promise.all(Array.from({ length: 40 }, () => report("1.0")));
  await untilNotified(mel, "problem_spike");
  await until(() => bodies("/spike").length === 1);
  await until(async () => (await problem()).eventCount === 60);
  assert.equal((await notificationsOf(mel)).length, 2);
  assert.match((await notificationsOf(mel))[0]?.text ?? "", /^More than 20 reports in 10 min in Shop: TypeError/);
  assert.equal(bodies("/spike").length, 1);

  const { id } = await problem();
  await ada.call(changeProblem, { params: { problemId: id }, body: { state: "muted" } });
  await ada.call(changeApp, { params, body: { spike: null } });
  assert.equal((await ada.call(getApp, { params })).spike, null);
});

test("with very many new problems, the team is notified of the first ones, and once that there are more", async () => {
  const { mel, report } = await team();
  await Promise.all(Array.from({ length: 30 }, (_, index) => report("1.0", { fingerprint: [`problem-${index}`] })));
  await untilNotified(mel, "problem_new", 21);
  const notifications = await notificationsOf(mel);
  assert.equal(notifications.filter(({ problemId }) => problemId === null).length, 1);
  assert.ok(notifications.some(({ text }) => text === "There are many more new problems in Shop. See its inbox."));
});

test("erasing a report erases its text from the notifications of its problem", async () => {
  const { ada, mel, report } = await team();
  const error = { type: "TypeError", message: "no card of Grace" };
  await report("1.0", { error, user: { id: "grace" } });
  await untilNotified(mel, "problem_new");
  await ada.call(eraseReports, { body: { by: "user", value: "grace" } });
  assert.deepEqual(await notificationsOf(mel), [{ kind: "problem_new", text: null, problemId: null }]);
});
