import assert from "node:assert/strict";
import { test } from "node:test";
import { listEventDeliveries, resendDelivery } from "@lodge/contract/calls.generated";
import { Webhook } from "standardwebhooks";
import { signedIn } from "../../testing/dashboard-client.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { attemptsAt, deliveriesIn, subscribe, webhook } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { enableSubscriber } from "../subscribers/enable-subscriber.ts";
import { rotateAnySecret } from "../subscribers/rotate-secret.ts";
import { countDeliveries } from "./measure-deliveries.ts";
import { resendDeliveries } from "./resend-deliveries.ts";

const local = {
  ...withWorker,
  LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms,100ms",
};
/** The allowed difference between PostgreSQL's clock and the receiver's when both measure a wait. */
const clockSlackMs = 50;
const board = {
  projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Reports"] }] }],
};
const onBoard = { kind: "board" as const, project: "web", board: "Inbox", column: "Reports" };

test("an event reaches a webhook, signed, with its envelope byte for byte", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const envelope = '{ "reportId" : "r-1",\n "title":"Crash \\u0000 \\ud800", "context": {"b":1.0,"a":[1e2]} }';
  const receipt = await submitReport(lodge.url, key, envelope);
  assert.equal(receipt.deliveryCount, 1);

  const [message] = await receiver.until(1);
  assert.ok(message);
  const body = message.body.toString("utf8");
  assert.ok(body.includes(`"envelope":${envelope},"attachments":[]}}`));
  const parsed = JSON.parse(body);
  assert.equal(parsed.type, "report.received");
  assert.equal(parsed.timestamp, parsed.data.receivedAt);
  const { url, problem, ...data } = parsed.data;
  assert.deepEqual([url, problem], [`${lodge.url}/events/${receipt.eventId}`, null]);
  assert.deepEqual(Object.keys(data), ["eventId", "appId", "reportId", "receivedAt", "envelope", "attachments"]);
  assert.equal(parsed.data.eventId, receipt.eventId);
  assert.equal(parsed.data.reportId, "r-1");
  verify(subscribers[0]?.secret, message);

  const [delivery] = await deliveriesIn(lodge, "delivered");
  assert.equal(message.headers["webhook-id"], delivery?.id);
  const attempts = await attemptsAt(lodge, delivery?.id);
  assert.deepEqual(
    attempts.map(({ number, status, reason }) => ({ number, status, reason })),
    [{ number: 1, status: 204, reason: null }],
  );
});

test("an envelope with 50,000 nested arrays is delivered unchanged", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(receiver), onBoard], board);
  const envelope = `\ufeff{"reportId":"deep","title":"Deep","context":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
  await submitReport(lodge.url, key, envelope);
  const [message] = await receiver.until(1);
  assert.ok(message?.body.toString("utf8").includes(`"envelope":${envelope.slice(1)},"attachments":[]}}`));
  await deliveriesIn(lodge, "delivered", 2);
});

test("an event is delivered to every enabled subscriber, a duplicate to none", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(
    lodge,
    ["/a", "/b", "/c"].map((path) => webhook(receiver, path)),
  );
  const first = await submitReport(lodge.url, key, { reportId: "r" });
  const again = await submitReport(lodge.url, key, { reportId: "r" });
  assert.deepEqual(again, { ...first, idempotent: true });
  assert.equal(first.deliveryCount, 3);
  await deliveriesIn(lodge, "delivered", 3);
  await submitReport(lodge.url, key, { reportId: "another" });
  const messages = await receiver.until(6);
  const eventsAt = (path: string) => messages.filter((message) => message.path === path).map(reportIdOf);
  for (const path of ["/a", "/b", "/c"]) assert.deepEqual(eventsAt(path), ["r", "another"]);
});

test("an app without subscribers has no deliveries", async () => {
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, []);
  assert.equal((await submitReport(lodge.url, key, { reportId: "r" })).deliveryCount, 0);
  assert.equal((await lodge.deps.pool.query("select from deliveries")).rowCount, 0);
  const jobs = "select from graphile_worker._private_jobs where payload->>'subscriberIds' is not null"; // without the jobs that run every minute
  assert.equal((await lodge.deps.pool.query(jobs)).rowCount, 0);
});

test("after two 500s and a 204, the delivery has one id and three recorded attempts", async () => {
  await using receiver = await startReceiver((_request, response, index) => {
    response.writeHead(index < 2 ? 500 : 204).end(index < 2 ? `failure ${index} \0${"x".repeat(10_000)}` : undefined);
  });
  await using lodge = await startService(local);
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "r" });
  const messages = await receiver.until(3);
  const [delivery] = await deliveriesIn(lodge, "delivered");
  assert.deepEqual(
    messages.map(({ headers }) => headers["webhook-id"]),
    [delivery?.id, delivery?.id, delivery?.id],
  );
  for (const message of messages) verify(subscribers[0]?.secret, message);
  assert.equal(new Set(messages.map(({ body }) => body.toString())).size, 1);

  const attempts = await attemptsAt(lodge, delivery?.id);
  assert.deepEqual(
    attempts.map(({ status, reason }) => ({ status, reason })),
    [
      { status: 500, reason: "It answered 500." },
      { status: 500, reason: "It answered 500." },
      { status: 204, reason: null },
    ],
  );
  assert.equal(attempts[0]?.response?.length, 4096);
  assert.match(attempts[0]?.response ?? "", /^failure 0 \ufffdx+$/);
  const [subscriber] = await lodge.deps.db.selectFrom("subscribers").selectAll().execute();
  assert.equal(subscriber?.failing_since, null);
  assert.equal(subscriber?.consecutive_failures, 0);
});

test("members see the delivery of an event to each subscriber, and an admin can resend one", async () => {
  let status = 500;
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(status).end("see /api/artifacts/x?signature=abc");
  });
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" });
  const { key } = await subscribe(
    lodge,
    [webhook(receiver, "/hook?key=secret"), { kind: "slack", url: "http://10.0.0.1/services/secret" }, onBoard],
    {
      ...board,
      members: [
        { name: "Ada", email: "ada@acme.test", role: "admin" },
        { name: "Mel", email: "mel@acme.test", role: "member" },
      ],
    },
  );
  const { eventId } = await submitReport(lodge.url, key, { reportId: "r" });
  const ada = await signedIn(lodge, "ada@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  const kindsInOrder = ["webhook", "slack", "board"];
  const seen = async () =>
    (await mel.call(listEventDeliveries, { params: { eventId } })).deliveries.toSorted(
      (one, other) => kindsInOrder.indexOf(one.subscriber.kind) - kindsInOrder.indexOf(other.subscriber.kind),
    );
  await until(async () => (await seen()).every(({ attemptCount }) => attemptCount === 1));
  const [hook, slack, card] = await seen();
  assert.ok(hook && slack && card);
  assert.deepEqual([hook.state, slack.state, card.state], ["failed", "failed", "delivered"]);
  assert.deepEqual(
    [hook, slack, card].map(({ subscriber }) => subscriber.receiver),
    [`${receiver.url}/hook`, "http://10.0.0.1", "Inbox"],
  );
  const [attempt] = hook.attempts;
  assert.deepEqual(
    { ...attempt, startedAt: undefined, durationMs: undefined },
    {
      number: 1,
      startedAt: undefined,
      durationMs: undefined,
      status: 500,
      reason: "It answered 500.",
      response: "see /api/artifacts/x?signature=[hidden]",
    },
  );
  assert.ok(Date.parse(hook.dueAt ?? "") > Date.now() + 3_000_000);
  assert.match(slack.attempts[0]?.reason ?? "", /10\.0\.0\.1 is private/);

  status = 204;
  assert.equal((await mel("POST", `/deliveries/${hook.id}/resend`)).body.error, "forbidden");
  await ada.call(resendDelivery, { params: { deliveryId: hook.id } });
  await until(async () => (await seen())[0]?.state === "delivered");
  assert.equal((await seen())[0]?.attempts[0]?.number, 2);
  await ada.call(resendDelivery, { params: { deliveryId: hook.id } });
  await receiver.until(3);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
  await lodge.deps.db
    .updateTable("subscribers")
    .set({ enabled: false, disabled_at: new Date() })
    .where("id", "=", slack.subscriber.id)
    .execute();
  assert.equal((await ada("POST", `/deliveries/${slack.id}/resend`)).body.error, "subscriber_disabled");
});

test("a delivery that has used up its retry schedule is dead, and can be resent", async () => {
  let status = 503;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  await using lodge = await startService(local);
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const receipt = await submitReport(lodge.url, key, { reportId: "r" });
  const [dead] = await deliveriesIn(lodge, "dead");
  assert.equal((await attemptsAt(lodge, dead?.id)).length, 3);

  status = 200;
  const { pool } = lodge.deps;
  const { received_at: at } = await lodge.deps.db
    .selectFrom("events")
    .select("received_at")
    .where("id", "=", receipt.eventId)
    .executeTakeFirstOrThrow();
  const after = new Date(at.getTime() + 1);
  assert.equal(await resendDeliveries(pool, { from: after }), 0);
  assert.equal(await resendDeliveries(pool, { to: at }), 0);
  assert.equal(await resendDeliveries(pool, { from: at, to: after }), 1);
  const [delivered] = await deliveriesIn(lodge, "delivered");
  assert.equal(delivered?.id, dead?.id);
  assert.equal((await attemptsAt(lodge, dead?.id)).length, 4);

  assert.equal(
    await resendDeliveries(pool, { subscriberId: subscribers[0]?.id }),
    0,
    "only dead deliveries are resent in bulk",
  );
  assert.equal(await resendDeliveries(pool, { deliveryId: dead?.id ?? "" }), 1);
  const messages = await receiver.until(5);
  assert.equal(new Set(messages.map(({ headers }) => headers["webhook-id"])).size, 1);
});

test("resending all dead deliveries of a subscriber does not affect other subscribers", async () => {
  let status = 500;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms" });
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver, "/a"), webhook(receiver, "/b")]);
  for (const reportId of ["1", "2"]) await submitReport(lodge.url, key, { reportId });
  await deliveriesIn(lodge, "dead", 4);
  status = 200;
  assert.equal(await resendDeliveries(lodge.deps.pool, { subscriberId: subscribers[1]?.id }), 2);
  const delivered = await deliveriesIn(lodge, "delivered", 2);
  assert.deepEqual(new Set(delivered.map(({ subscriber_id }) => subscriber_id)), new Set([subscribers[1]?.id]));
  assert.equal((await deliveriesIn(lodge, "dead", 2)).length, 2);
});

test("a receiver's Retry-After holds back all of its deliveries", async () => {
  const seconds = 2;
  await using receiver = await startReceiver((_request, response, index) => {
    if (index === 0) response.writeHead(429, { "retry-after": `${seconds}` }).end();
    else response.writeHead(204).end();
  });
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "first" });
  // On a busy machine, the next attempt may come before this check.
  await until(async () => {
    const { rowCount } = await lodge.deps.pool.query("select from deliveries where attempt_count > 0");
    return rowCount === 1;
  });
  await submitReport(lodge.url, key, { reportId: "second" });
  const [told, ...later] = await receiver.until(3);
  for (const { at } of later) assert.ok(at - (told?.at ?? 0) >= seconds * 1000 - clockSlackMs);
  const [first] = await deliveriesIn(lodge, "delivered", 2);
  const [attempt] = await attemptsAt(lodge, first?.id);
  assert.equal(attempt?.reason, "It answered 429.");
});

test("410 disables the subscriber and its waiting deliveries fail; enabling it lets deliveries start again", async () => {
  let gone = true;
  await using receiver = await startReceiver((_request, response) => response.writeHead(gone ? 410 : 200).end());
  await using lodge = await startService(local);
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const id = subscribers[0]?.id ?? "";
  await submitReport(lodge.url, key, { reportId: "1" });
  await deliveriesIn(lodge, "dead");
  const { enabled, disabled_reason } = await lodge.deps.db
    .selectFrom("subscribers")
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.deepEqual({ enabled, disabled_reason }, { enabled: false, disabled_reason: "It answered 410 Gone." });
  assert.equal((await submitReport(lodge.url, key, { reportId: "2" })).deliveryCount, 0);
  assert.equal(await resendDeliveries(lodge.deps.pool, { subscriberId: id }), 0);

  gone = false;
  await enableSubscriber(lodge.deps.db, id);
  assert.equal((await submitReport(lodge.url, key, { reportId: "3" })).deliveryCount, 1);
  assert.equal(await resendDeliveries(lodge.deps.pool, { subscriberId: id }), 1);
  await deliveriesIn(lodge, "delivered", 2);
});

test("the log names a disabled subscriber, without the secret part of its address", async () => {
  await using receiver = await startReceiver((_request, response) => response.writeHead(410).end());
  const { log, lines } = logIntoMemory();
  await using lodge = await startService(local, { log });
  const { key, appId, subscribers } = await subscribe(lodge, [
    webhook(receiver, "/hook?token=hidden"),
    { kind: "slack", url: `${receiver.url}/services/T/B/hidden` },
  ]);
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "dead", 2);
  const found = () => lines().filter(({ msg }) => msg === "a subscriber was disabled");
  await until(() => found().length === 2);
  const reason = "It answered 410 Gone.";
  assert.deepEqual(
    new Set(found().map(({ level: _level, time: _time, msg: _msg, ...told }) => told)),
    new Set([
      { appId, subscriberId: subscribers[0]?.id, kind: "webhook", url: `${receiver.url}/hook`, reason },
      { appId, subscriberId: subscribers[1]?.id, kind: "slack", url: receiver.url, reason },
    ]),
  );
});

test("a subscriber that has failed for five days is disabled, and its waiting deliveries become dead", async () => {
  const clock = movableClock();
  await using receiver = await startReceiver((_request, response) => response.writeHead(500).end());
  // Enough retries that some are left even if a busy machine moves the clock late.
  const schedule = "100ms,100ms,1s,1s,1s,1s,1s,1s,7d";
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: schedule }, { clock });
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "1" });
  await receiver.until(3);
  clock.move(4.9 * 86_400_000);
  await submitReport(lodge.url, key, { reportId: "2" });
  await receiver.until(receiver.received.length + 1);
  assert.equal((await lodge.deps.pool.query("select from subscribers where enabled")).rowCount, 1);
  clock.move(0.2 * 86_400_000);
  await deliveriesIn(lodge, "dead", 2);
  const { rows } = await lodge.deps.pool.query("select enabled, disabled_reason from subscribers");
  assert.deepEqual(rows, [{ enabled: false, disabled_reason: "It has failed for 5 days." }]);
});

test("a failing subscriber is paused for longer and longer, then tried with one delivery", async () => {
  let status = 500;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "300ms,300ms,300ms,300ms,1s" });
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  for (let index = 0; index < 5; index++) await submitReport(lodge.url, key, { reportId: `${index}` });
  await receiver.until(7);
  // An attempt is recorded only after the receiver has answered it.
  await until(async () => {
    const { rows } = await lodge.deps.pool.query("select pauses from subscribers");
    return rows[0].pauses >= 2;
  });
  status = 204;
  await deliveriesIn(lodge, "delivered", 5);
  const after = await lodge.deps.pool.query("select pauses, paused_until, consecutive_failures from subscribers");
  assert.deepEqual(after.rows, [{ pauses: 0, paused_until: null, consecutive_failures: 0 }]);
});

test("while a secret is being rotated, the receiver can verify with either secret", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const [subscriber] = subscribers;
  const second = await rotateAnySecret(lodge.deps, lodge.deps.sealing, subscriber?.id ?? "");
  await submitReport(lodge.url, key, { reportId: "1" });
  const [message] = await receiver.until(1);
  assert.ok(message);
  verify(second, message);
  verify(subscriber?.secret, message);

  const third = await rotateAnySecret(lodge.deps, lodge.deps.sealing, subscriber?.id ?? "");
  await submitReport(lodge.url, key, { reportId: "2" });
  const [, later] = await receiver.until(2);
  assert.ok(later);
  verify(third, later);
  verify(second, later);
  assert.throws(() => verify(subscriber?.secret, later));
});

test("a board gets one card for each event, however often it is delivered", async () => {
  await using lodge = await startService(local);
  const { key, appId } = await subscribe(lodge, [onBoard], board);
  const receipt = await submitReport(lodge.url, key, {
    reportId: "r",
    title: "Cart \\u0000 is empty",
    message: "Since \0 noon",
  });
  const [delivery] = await deliveriesIn(lodge, "delivered");
  assert.equal(await resendDeliveries(lodge.deps.pool, { deliveryId: delivery?.id ?? "" }), 1);
  await until(async () => (await attemptsAt(lodge, delivery?.id)).length === 2);

  const cards = await lodge.deps.db
    .selectFrom("tickets")
    .innerJoin("columns", "columns.id", "tickets.column_id")
    .select(["tickets.id", "title", "description", "author_name", "origin", "event_id", "app_id", "columns.name"])
    .execute();
  assert.deepEqual(cards, [
    {
      id: cards[0]?.id,
      title: "Cart \\u0000 is empty",
      description: `Since \ufffd noon\n\n${lodge.url}/events/${receipt.eventId}`,
      author_name: "iOS",
      origin: "report",
      event_id: receipt.eventId,
      app_id: appId,
      name: "Reports",
    },
  ]);
  const activities = await lodge.deps.db.selectFrom("ticket_activities").selectAll().execute();
  assert.deepEqual(
    activities.map(({ kind, actor_name, details }) => ({ kind, actor_name, details })),
    [{ kind: "ticket.filed", actor_name: "iOS", details: { appId, origin: "report", eventId: receipt.eventId } }],
  );
});

test("a card has a title even if the report has none, and a board still takes cards after its column is deleted", async () => {
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [onBoard], board);
  await lodge.deps.db.deleteFrom("columns").where("name", "=", "Reports").execute();
  await submitReport(lodge.url, key, { reportId: "1", message: `\n${"😀".repeat(300)}\nmore`, kind: "question" });
  await submitReport(lodge.url, key, { reportId: "2", error: { type: "TypeError", message: "x is not a function" } });
  await submitReport(lodge.url, key, { reportId: "3", message: "y".repeat(20_000), title: " " });
  await submitReport(lodge.url, key, { reportId: "4" });
  await deliveriesIn(lodge, "delivered", 4);
  const cards = await lodge.deps.db.selectFrom("tickets").select(["title", "description"]).orderBy("id").execute();
  assert.deepEqual(
    new Set(cards.map(({ title }) => title)),
    new Set([`${"😀".repeat(199)}…`, "TypeError: x is not a function", `${"y".repeat(199)}…`, "iOS: bug"]),
  );
});

test("lodged apply creates each subscriber once, and shows its secret once", async () => {
  await using lodge = await startService(local);
  const list = [
    { kind: "webhook" as const, url: "https://hooks.example.test/lodge" },
    { kind: "slack" as const, url: "https://hooks.slack.example.test/services/x" },
    onBoard,
  ];
  const first = await subscribe(lodge, list, board);
  assert.match(first.subscribers[0]?.secret ?? "", /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(
    first.subscribers.map(({ kind, secret }) => [kind, secret !== null]),
    [
      ["webhook", true],
      ["slack", false],
      ["board", false],
    ],
  );
  const second = await subscribe(lodge, [...list.slice(0, 2), { ...onBoard, column: "Backlog" }], board);
  assert.deepEqual(
    second.subscribers,
    first.subscribers.map((subscriber) => ({ ...subscriber, secret: null })),
  );
  const { rows } = await lodge.deps.pool.query(
    "select columns.name from subscribers join columns on columns.id = column_id where kind = 'board'",
  );
  assert.deepEqual(rows, [{ name: "Backlog" }]);
});

test("lodged apply refuses an invalid subscriber, and names it", async () => {
  await using lodge = await startService(local);
  const refusals = {
    "/apps/0/subscribers/0/url is required": { kind: "webhook" },
    "/apps/0/subscribers/0/url must be an http:// or https:// URL": { kind: "webhook", url: "ftp://x.test" },
    "/apps/0/subscribers/0/url must be an http:// or https:// URL without": {
      kind: "slack",
      url: "https://a:b@x.test",
    },
    "/apps/0/subscribers/0/column is required": { kind: "board", project: "web", board: "Inbox" },
    "/apps/0/subscribers/0/url is not allowed for the kind board": { ...onBoard, url: "https://x.test" },
    '/apps/0/subscribers/0 there is no column "Nowhere"': { ...onBoard, column: "Nowhere" },
  };
  for (const [message, subscriber] of Object.entries(refusals)) {
    await assert.rejects(
      async () => subscribe(lodge, [subscriber as never], board),
      (error: Error) => error.message.includes(message),
      message,
    );
  }
});

test("the status lists each failing subscriber with its last reason, and the age of the oldest undelivered event", async () => {
  await using receiver = await startReceiver(({ path }, response) => response.writeHead(Number(path.slice(1))).end());
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" });
  const hooks = [webhook(receiver, "/500"), webhook(receiver, "/204"), webhook(receiver, "/503")];
  const { key } = await subscribe(lodge, hooks);
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "failed", 2);
  await deliveriesIn(lodge, "delivered");
  const { failingSubscribers, oldestWaitingAgeSeconds, ...counts } = await countDeliveries(lodge.deps.pool);
  assert.deepEqual(counts, { delivered: 1, waiting: 0, failed: 2, dead: 0 });
  assert.ok(oldestWaitingAgeSeconds > 0, "a failed delivery with retries left counts too");
  assert.deepEqual(
    new Set(failingSubscribers.map(({ url, lastReason }) => `${url}: ${lastReason}`)),
    new Set([500, 503].map((status) => `${receiver.url}/${status}: It answered ${status}.`)),
  );
});

test("the metrics show the number and the age of undelivered events", async () => {
  await using receiver = await startReceiver((_request, response) => response.writeHead(500).end());
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" });
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "failed");
  let text = "";
  await until(async () => {
    text = (await lodge.request("GET", "/metrics")).text;
    return text.includes("lodged_deliveries{"); // when the database is too slow, its metrics are left out
  });
  assert.match(text, /^lodged_deliveries\{state="failed"\} 1$/m);
  assert.match(text, /^lodged_deliveries\{state="waiting"\} 0$/m);
  assert.match(text, /^lodged_deliveries\{state="dead"\} 0$/m);
  const age = Number(/^lodged_deliveries_oldest_waiting_age_seconds ([0-9.]+)$/m.exec(text)?.[1]);
  assert.ok(age > 0, "a failed delivery with retries left counts too");
  assert.match(text, /^# HELP lodged_deliveries_oldest_waiting_age_seconds .* failed and to be retried/m);
  assert.match(text, /^# HELP lodged_delivery_attempts_total .* since they started/m);
  assert.match(text, /^lodged_delivery_attempts_total\{kind="webhook",outcome="failed"\} \d+$/m);
});

function verify(secret: string | null | undefined, { body, headers }: { body: Buffer; headers: object }) {
  return new Webhook(secret ?? "").verify(body, headers as Record<string, string>);
}

const reportIdOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).data.reportId as string;
