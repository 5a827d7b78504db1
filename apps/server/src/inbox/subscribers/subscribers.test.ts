import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import {
  cancelReplay,
  changeSubscriber,
  countReplay,
  createSubscriber,
  deleteSubscriber,
  getDeliveryCurl,
  getSubscriber,
  listEventDeliveries,
  listSubscriberDeliveries,
  listSubscribers,
  resendDeadDeliveries,
  rotateSubscriberSecret,
  skipDelivery,
  startReplay,
  testSubscriber,
} from "@lodge/contract/calls.generated";
import type { Replay, SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import { Webhook } from "standardwebhooks";
import { eraseDeleted } from "../../both/retention/erase-deleted.ts";
import { begin } from "../../testing/begin.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { type Received, startReceiver } from "../../testing/start-receiver.ts";
import { makePatientDatabase, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { subscribe } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";
import { readEvents } from "../problems/read-events.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const patient = started.use(await makePatientDatabase());
const settings = {
  ...withWorker,
  ...patient.env,
  LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms",
};
const lodge = started.use(await startService(settings, patient.overrides));
const status: Record<string, number> = {};
const held: ServerResponse[] = [];
const receiver = started.use(
  await startReceiver(({ path }, response) => {
    if (path === "/held") held.push(response);
    else response.writeHead(status[path] ?? 204).end("noted");
  }),
);
let ada: DashboardClient;
let key: string;
let appId: string;
let columnId: string;
before(async () => {
  ({ key, appId } = await subscribe(lodge, [], {
    members: [{ name: "Ada", email: "ada@acme.test", role: "admin" }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Reports"] }] }],
  }));
  ada = await signedIn(lodge, "ada@acme.test");
  ({ id: columnId } = await lodge.deps.db
    .selectFrom("columns")
    .select("id")
    .where("name", "=", "Reports")
    .executeTakeFirstOrThrow());
});

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const at = (path: string) => receiver.received.filter((message) => message.path === path);
const verify = (with_: string, { headers, body }: Received) =>
  new Webhook(with_).verify(body, headers as Record<string, string>);
const create = async (path: string) =>
  (
    await ada.call(createSubscriber, {
      params: { appId },
      body: { kind: "webhook", url: `${receiver.url}${path}`, secret },
    })
  ).subscriber.id;
const stateOf = async (subscriberId: string) => (await ada.call(getSubscriber, { params: { subscriberId } })) ?? {};

test("a webhook is tested with the secret that it then gets, and receives events from then on", async () => {
  const url = `${receiver.url}/tried`;
  status["/tried"] = 500;
  const asked = { params: { appId }, body: { kind: "webhook" as const, url, secret } };
  const refused = await ada.call(testSubscriber, asked);
  assert.deepEqual(
    { ...refused, durationMs: 0 },
    { durationMs: 0, status: 500, response: "noted", reason: "It answered 500." },
  );
  status["/tried"] = 204;
  assert.equal((await ada.call(testSubscriber, asked)).reason, null);
  const [message] = at("/tried").slice(-1);
  assert.ok(message);
  verify(secret, message);
  assert.equal(JSON.parse(message.body.toString()).data.reportId, "lodge-test");
  const elsewhere = { ...asked, body: { ...asked.body, url: "http://10.1.2.3/" } };
  assert.match((await ada.call(testSubscriber, elsewhere)).reason ?? "", /10\.1\.2\.3 is private/);

  const made = await ada.call(createSubscriber, asked);
  assert.equal(made.secret, secret);
  assert.equal((await ada("POST", `/apps/${appId}/subscribers`, asked.body)).body.error, "subscriber_exists");
  await submitReport(lodge.url, key, { reportId: "told" });
  await until(() => at("/tried").length === 3);
  await until(async () => (await stateOf(made.subscriber.id)).deliveredCount === 1);
  const { health, secrets } = await stateOf(made.subscriber.id);
  assert.equal(health.length, 14);
  assert.equal(
    health.slice(-2).reduce((sum, { deliveredCount }) => sum + deliveredCount, 0), // a day may just have ended
    1,
  );
  assert.equal(secrets.length, 1);
  const { subscribers } = await ada.call(listSubscribers);
  assert.deepEqual(
    subscribers.map(({ id, url: shown, enabled }) => ({ id, shown, enabled })),
    [{ id: made.subscriber.id, shown: url, enabled: true }],
  );
});

test("fields that do not belong to a kind are refused by name", async () => {
  const refused = async (body: object) => {
    const answer = await ada("POST", `/apps/${appId}/subscribers`, body);
    assert.equal(answer.body.error, "invalid_input", answer.text);
    return (answer.body.details as { path: string }[])[0]?.path;
  };
  assert.equal(await refused({ kind: "webhook" }), "/url");
  assert.equal(await refused({ kind: "webhook", url: "ftp://x.test" }), "/url");
  assert.equal(await refused({ kind: "slack", url: "https://x.test", secret }), "/secret");
  assert.equal(await refused({ kind: "webhook", url: "https://x.test", secret: "whsec_short" }), "/secret");
  assert.equal(await refused({ kind: "board", url: "https://x.test" }), "/columnId");
  assert.equal(await refused({ kind: "board", columnId, url: "https://x.test" }), "/url");
});

test("a subscriber can be disabled, enabled and moved, and both secrets work while one is being rotated", async () => {
  const params = { subscriberId: await create("/moved") };
  const paused = await ada.call(changeSubscriber, { params, body: { enabled: false } });
  assert.deepEqual([paused.enabled, paused.disabledReason], [false, "Disabled by Ada."]);
  await submitReport(lodge.url, key, { reportId: "missed" });
  await ada.call(changeSubscriber, { params, body: { enabled: true, url: `${receiver.url}/new` } });
  const rotated = await ada.call(rotateSubscriberSecret, { params });
  await submitReport(lodge.url, key, { reportId: "not missed" });
  await until(() => at("/new").length === 1);
  assert.deepEqual(at("/moved"), []);
  const [message] = at("/new");
  assert.ok(message);
  verify(secret, message);
  verify(rotated.secret, message);
  const { secrets } = await stateOf(params.subscriberId);
  assert.deepEqual(
    secrets.map(({ expiresAt }) => expiresAt === null),
    [true, false],
  );
  const { rows } = await lodge.deps.pool.query(
    "select kind, details ->> 'by' as by from audit_entries where details ->> 'subscriberId' = $1 order by id",
    [params.subscriberId],
  );
  assert.deepEqual(
    rows.map(({ kind, by }) => `${kind} ${by}`),
    ["subscriber.created Ada", "subscriber.paused Ada", "subscriber.enabled Ada", "subscriber.secret_rotated Ada"],
  );
});

test("a board is a subscriber without an address or secret", async () => {
  const board = await ada.call(createSubscriber, { params: { appId }, body: { kind: "board", columnId } });
  assert.equal(board.secret, null);
  assert.deepEqual([board.subscriber.boardName, board.subscriber.columnId], ["Inbox", columnId]);
  const path = `/subscribers/${board.subscriber.id}`;
  assert.equal((await ada("PATCH", path, { url: "https://x.test" })).body.error, "invalid_input");
  assert.equal((await ada("POST", `${path}/secrets`)).body.error, "subscriber_not_found");
  await ada("PATCH", path, { enabled: false });
});

test("dead deliveries are listed, resent together, and shown as working curl commands", async () => {
  const params = { subscriberId: await create("/dead") };
  status["/dead"] = 500;
  for (const reportId of ["it's 1", "dead 2"]) await submitReport(lodge.url, key, { reportId });
  await until(async () => (await stateOf(params.subscriberId)).deadCount === 2);
  const { deliveries } = await ada.call(listSubscriberDeliveries, { params, query: { state: "dead" } });
  assert.equal(deliveries.length, 2);
  assert.ok(deliveries.every(({ attempts }) => attempts.length === 2));

  status["/dead"] = 204;
  const { command } = await ada.call(getDeliveryCurl, { params: { deliveryId: deliveries[1]?.id ?? "" } });
  const before = at("/dead").length;
  await promisify(execFile)("sh", ["-c", `${command} --silent --show-error --fail`]);
  const [byHand] = at("/dead").slice(before);
  assert.ok(byHand);
  verify(secret, byHand);
  assert.equal(byHand.headers["webhook-id"], deliveries[1]?.id);
  assert.equal(JSON.parse(byHand.body.toString()).data.reportId, "it's 1");

  assert.deepEqual(await ada.call(resendDeadDeliveries, { params }), { resentCount: 2, more: false });
  await until(async () => (await stateOf(params.subscriberId)).deadCount === 0);
  await until(() => at("/dead").length === before + 3);
  assert.deepEqual(await ada.call(resendDeadDeliveries, { params }), { resentCount: 0, more: false });
});

test("filters decide when an event is accepted, and the event records which part of a filter excluded it", async () => {
  const filtered = async (path: string, filter: SubscriberFilter) =>
    (
      await ada.call(createSubscriber, {
        params: { appId },
        body: { kind: "webhook", url: `${receiver.url}${path}`, filter },
      })
    ).subscriber.id;
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const crashes = await filtered("/crashes", { kinds: ["crash"], environments: ["production"] });
  const tagged = await filtered("/tagged", { tags: ["plan=business"], versions: ["2.0", "2.1"] });
  const firsts = await filtered("/firsts", { newProblemsOnly: true, errorTypes: ["TypeError"] });

  const error = {
    type: "TypeError",
    message: "x is undefined",
    stack: "TypeError: x\n    at pay (https://x.test/pay.js:1:2)",
  };
  const send = (reportId: string, more: object) => submitReport(lodge.url, key, { reportId, ...more });
  const first = await send("f-1", { kind: "crash", error, app: { environment: "production" } });
  const second = await send("f-2", { kind: "crash", error, app: { environment: "staging" } });
  const third = await send("f-3", { kind: "bug", tags: { plan: "business" }, app: { version: "2.1" } });
  const none = await send("f-4", { kind: "feedback", title: "\u0000 nice" });
  assert.deepEqual(
    [first, second, third, none].map(({ deliveryCount }) => deliveryCount),
    [2, 0, 1, 0],
  );
  assert.equal((await send("f-1", { kind: "crash", error })).deliveryCount, 2);
  await until(() => at("/crashes").length === 1 && at("/firsts").length === 1 && at("/tagged").length === 1);
  const { deliveries, filtered: leftOut } = await ada.call(listEventDeliveries, {
    params: { eventId: String(second.eventId) },
  });
  assert.deepEqual(deliveries, []);
  const by = new Map(leftOut.map(({ subscriber, by: reason }) => [subscriber.id, reason]));
  assert.deepEqual(
    [crashes, tagged, firsts].map((id) => by.get(id)),
    ["environment", "version", "new problems only"],
  );

  const empty = await ada("PATCH", `/subscribers/${firsts}`, { filter: { errorTypes: [] } });
  assert.equal(empty.body.error, "invalid_input");
  const changed = await ada.call(changeSubscriber, { params: { subscriberId: firsts }, body: { filter: null } });
  assert.equal(changed.filter, null);
  assert.equal((await send("f-5", { kind: "crash", error, app: { environment: "production" } })).deliveryCount, 2);
});

test("of concurrent reports of a new problem, one is the first", async () => {
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const body = { kind: "webhook" as const, url: `${receiver.url}/once`, filter: { newProblemsOnly: true } };
  await ada.call(createSubscriber, { params: { appId }, body });
  const error = { type: "RangeError", message: "together" };
  const sent = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      submitReport(lodge.url, key, { reportId: `together-${index}`, kind: "crash", error }),
    ),
  );
  assert.equal(sent.filter(({ deliveryCount }) => deliveryCount === 1).length, 1);
  await readEvents(lodge.deps);
  const later = await submitReport(lodge.url, key, { reportId: "later", kind: "crash", error });
  assert.equal(later.deliveryCount, 0);
});

test("the events of a time range are counted and replayed once to a newer subscriber, marked as a replay", async () => {
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const from = new Date().toISOString();
  for (const index of [1, 2, 3]) {
    await submitReport(lodge.url, key, { reportId: `replayed-${index}`, kind: index === 3 ? "feedback" : "crash" });
  }
  const until_ = new Date(Date.now() + 1).toISOString();
  await submitReport(lodge.url, key, { reportId: "replayed-too-late" });
  while ((await readEvents(lodge.deps)).count > 0);
  // A delivery may still be reading some events.
  const unread = lodge.deps.db.selectFrom("unread_events").select("event_id");
  await until(async () => (await readEvents(lodge.deps)).count === 0 && (await unread.execute()).length === 0);
  const params = { subscriberId: await create("/replayed") };
  await ada.call(changeSubscriber, { params, body: { filter: { kinds: ["crash"] } } });
  const range = { from, until: until_ };
  assert.deepEqual(await ada.call(countReplay, { params, query: range }), { eventCount: 2, seconds: 1 });
  const replay = await ada.call(startReplay, { params, body: range });
  assert.deepEqual([replay.state, replay.eventCount, replay.startedBy], ["running", 2, "Ada"]);
  await until(async () => (await stateOf(params.subscriberId)).replays[0]?.state === "done");
  await until(() => at("/replayed").length === 2);
  assert.deepEqual(
    at("/replayed").map(({ headers }) => headers["lodge-replay"]),
    [replay.id, replay.id],
  );
  const { deliveries } = await ada.call(listSubscriberDeliveries, { params, query: {} });
  assert.ok(deliveries.every(({ isReplay }) => isReplay));

  assert.equal((await ada.call(countReplay, { params, query: range })).eventCount, 0);
  const again = { ...range, again: true };
  assert.equal((await ada.call(countReplay, { params, query: { ...range, again: "true" } })).eventCount, 2);
  await ada.call(startReplay, { params, body: again });
  await until(() => at("/replayed").length === 4);
  assert.equal(new Set(at("/replayed").map(({ headers }) => headers["webhook-id"])).size, 2);
  const backwards = await ada("POST", `/subscribers/${params.subscriberId}/replays`, { from: until_, until: from });
  assert.equal(backwards.body.error, "invalid_input");
  const leapSecond = await ada("GET", `/subscribers/${params.subscriberId}/replays/count?until=2016-12-31T23:59:60Z`);
  assert.equal(leapSecond.body.error, "invalid_input");
});

test("a replay sends a second's worth at a time, runs alone, and can be cancelled", async () => {
  const many = 4_000; // the planner's statistics do not include them yet
  const from = new Date().toISOString();
  await lodge.deps.pool.query(
    `insert into events (app_id, report_id, sdk_key_id, envelope, received_at)
    select app_id, 'many-' || n, sdk_key_id, envelope, now() + interval '1 second'
    from (select * from events limit 1) one, generate_series(1, $1::integer) n`,
    [many],
  );
  const params = { subscriberId: await create("/many") };
  const body = { from, until: new Date(Date.now() + 60_000).toISOString() };
  const { id } = await ada.call(startReplay, { params, body });
  const second = await ada("POST", `/subscribers/${params.subscriberId}/replays`, body);
  assert.equal(second.body.error, "replay_running");
  const first = ({ replays }: { replays: Replay[] }) => replays[0];
  await until(async () => (first(await stateOf(params.subscriberId))?.sentCount ?? 0) > 0);
  const cancelled = await ada.call(cancelReplay, { params: { replayId: id } });
  assert.deepEqual([cancelled.state, cancelled.endedBy, cancelled.eventCount], ["cancelled", "Ada", many]);
  assert.ok(cancelled.sentCount < many, `${cancelled.sentCount} were sent`);
  await until(() => at("/many").length === cancelled.sentCount);
  await ada("PATCH", `/subscribers/${params.subscriberId}`, { enabled: false });
  assert.equal(
    (await ada("POST", `/subscribers/${params.subscriberId}/replays`, body)).body.error,
    "subscriber_disabled",
  );
});

test("a subscriber with a rate limit gets all of its deliveries, no faster than the limit", async () => {
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const body = { kind: "webhook" as const, url: `${receiver.url}/slow`, perMinute: 120 };
  await ada.call(createSubscriber, { params: { appId }, body });
  await Promise.all(
    Array.from({ length: 6 }, (_, index) => submitReport(lodge.url, key, { reportId: `slow-${index}` })),
  );
  await until(() => at("/slow").length === 6);
  // Two at once, then two a second: the last two are sent two seconds after the first two, which may arrive late.
  const [begun = 0] = at("/slow").map((message) => message.at);
  assert.ok((at("/slow")[5]?.at ?? 0) - begun > 1_000);
});

test("with ordered delivery, a failing delivery holds up those behind it until somebody skips it", async () => {
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const body = { kind: "webhook" as const, url: `${receiver.url}/ordered`, ordered: true };
  const made = await ada.call(createSubscriber, { params: { appId }, body });
  const params = { subscriberId: made.subscriber.id };
  const reportIds = () => at("/ordered").map(({ body: sent }) => JSON.parse(sent.toString()).data.reportId);
  for (const index of [1, 2, 3, 4]) await submitReport(lodge.url, key, { reportId: `in-order-${index}` });
  await until(() => at("/ordered").length === 4);
  assert.deepEqual(reportIds(), ["in-order-1", "in-order-2", "in-order-3", "in-order-4"]);
  status["/ordered"] = 500;
  await submitReport(lodge.url, key, { reportId: "stuck" });
  await submitReport(lodge.url, key, { reportId: "behind" });
  // The schedule has one retry: without ordered delivery, it would be dead after two attempts.
  await until(() => reportIds().filter((id) => id === "stuck").length >= 4);
  assert.equal(reportIds().includes("behind"), false);
  const { deliveries } = await ada.call(listSubscriberDeliveries, { params, query: { state: "failed" } });
  assert.equal(deliveries.length, 1);
  const skipped = { params: { deliveryId: deliveries[0]?.id ?? "" } };
  await ada.call(skipDelivery, skipped);
  status["/ordered"] = 204;
  await until(() => reportIds().at(-1) === "behind");
  assert.equal((await ada("POST", `/deliveries/${skipped.params.deliveryId}/skip`)).body.error, "delivery_settled");
  const { deliveries: dead } = await ada.call(listSubscriberDeliveries, { params, query: { state: "dead" } });
  assert.equal(dead[0]?.attempts[0]?.reason, "Skipped by Ada.");
});

test("a skip takes effect whatever the result of an attempt under way", async () => {
  const { subscribers } = await ada.call(listSubscribers);
  for (const { id } of subscribers) await ada("PATCH", `/subscribers/${id}`, { enabled: false });
  const body = { kind: "webhook" as const, url: `${receiver.url}/held`, ordered: true };
  const { subscriber } = await ada.call(createSubscriber, { params: { appId }, body });
  await submitReport(lodge.url, key, { reportId: "held" });
  await submitReport(lodge.url, key, { reportId: "behind the held" });
  await until(() => held.length === 1);
  const params = { subscriberId: subscriber.id };
  const { deliveries } = await ada.call(listSubscriberDeliveries, { params, query: {} });
  const deliveryId = deliveries.at(-1)?.id ?? "";

  const other = await lodge.deps.pool.connect();
  await other.query(begin);
  await other.query("select from deliveries where id = $1 for update", [deliveryId]);
  const skipped = ada.call(skipDelivery, { params: { deliveryId } });
  await untilWaiting(lodge.deps.pool);
  held[0]?.writeHead(500).end();
  await untilWaiting(lodge.deps.pool, 2);
  await other.query("rollback");
  other.release();
  await skipped;
  await until(() => held.length === 2);
  assert.deepEqual(
    at("/held").map(({ body: sent }) => JSON.parse(sent.toString()).data.reportId),
    ["held", "behind the held"],
  );
  held[1]?.writeHead(204).end();
  const { deliveries: dead } = await ada.call(listSubscriberDeliveries, { params, query: { state: "dead" } });
  assert.deepEqual(
    dead.map(({ id, attempts }) => [id, attempts[0]?.reason]),
    [[deliveryId, "Skipped by Ada."]],
  );
});

test("a deleted subscriber disappears immediately and its deliveries afterwards; events and other deliveries stay", async () => {
  const params = { subscriberId: await create("/deleted") };
  const kept = { subscriberId: await create("/kept") };
  const { eventId } = await submitReport(lodge.url, key, { reportId: "told both" });
  await until(() => at("/deleted").length === 1 && at("/kept").length === 1);
  await until(async () => (await stateOf(kept.subscriberId)).deliveredCount === 1);
  const receiversOfEvent = async () =>
    (await ada.call(listEventDeliveries, { params: { eventId } })).deliveries.map(({ subscriber }) => subscriber.id);
  assert.equal((await receiversOfEvent()).includes(params.subscriberId), true);

  await ada.call(deleteSubscriber, { params });
  for (const [method, path] of [
    ["GET", ""],
    ["PATCH", ""],
    ["GET", "/deliveries"],
    ["POST", "/secrets"],
    ["DELETE", ""],
  ] as const) {
    const answer = await ada(
      method,
      `/subscribers/${params.subscriberId}${path}`,
      method === "PATCH" ? { enabled: true } : undefined,
    );
    assert.equal(answer.body.error, "subscriber_not_found", `${method} ${path}`);
  }
  assert.equal((await receiversOfEvent()).includes(params.subscriberId), false);
  const again = await create("/deleted"); // the address can be used again
  const rows = async (id: string) => {
    const { rows } = await lodge.deps.pool.query<{ count: number }>(
      `select (select count(*)::integer from subscribers where id = $1)
        + (select count(*)::integer from deliveries where subscriber_id = $1)
        + (select count(*)::integer from signing_secrets where subscriber_id = $1) as count`,
      [id],
    );
    return rows[0]?.count;
  };
  await eraseDeleted(lodge.deps);
  assert.equal(await rows(params.subscriberId), 0);
  assert.equal(await rows(kept.subscriberId), 3);
  assert.equal(await rows(again), 2);
  assert.equal((await receiversOfEvent()).includes(kept.subscriberId), true);
});
