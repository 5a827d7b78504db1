import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { runCommand } from "../../testing/start-process.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { attemptsAt, deliveriesIn, subscribe, webhook } from "../../testing/subscribe.ts";

const local = { ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1", LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms" };

test("lodged deliveries, subscribers and apps find failed deliveries, enable the subscriber, resend and delete", async () => {
  let status = 410;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  await using lodge = await startService(local);
  const { key, appId, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const id = subscribers[0]?.id ?? "";
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "dead");
  const run = (...args: string[]) => runBeside(lodge, args);

  const { failingSubscribers, ...waiting } = await run("deliveries", "status");
  assert.deepEqual(waiting, { delivered: 0, waiting: 0, failed: 0, dead: 1, oldestWaitingAgeSeconds: 0 });
  assert.deepEqual(failingSubscribers, [
    {
      id,
      kind: "webhook",
      url: `${receiver.url}/hook`,
      boardId: null,
      appId,
      appSlug: "ios",
      organisationSlug: "acme",
      enabled: false,
      failingSince: failingSubscribers[0].failingSince,
      lastReason: "It answered 410.",
      disabledReason: "It answered 410 Gone.",
    },
  ]);

  status = 204;
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id), { resent: 0 });
  const [dead] = await deliveriesIn(lodge, "dead");
  for (const which of [
    ["--subscriber", id],
    ["--delivery", dead?.id ?? ""],
  ]) {
    const { stderr } = await runIn(lodge, ["deliveries", "resend", ...which]);
    assert.equal(stderr, `The subscriber is disabled: lodged subscribers enable ${id}\n`);
  }
  assert.deepEqual(await run("subscribers", "enable", id), { id, enabled: true });
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id, "--to", "2020-01-01T00:00:00Z"), {
    resent: 0,
  });
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id, "--from", "2020-01-01T00:00:00Z"), {
    resent: 1,
  });
  const [delivered] = await deliveriesIn(lodge, "delivered");
  assert.deepEqual(await run("deliveries", "resend", "--delivery", delivered?.id ?? ""), { resent: 1 });
  await receiver.until(3);

  const rotated = await run("subscribers", "rotate-secret", id);
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, subscribers[0]?.secret);

  assert.match(
    await run("deliveries", "resend"),
    /^Choose deliveries with --delivery, --subscriber, --from or --to\.$/m,
  );
  assert.match(await run("deliveries", "resend", "--subscriber", "x"), /It must be a UUID/);
  assert.match(await run("deliveries", "resend", "--from", "noon"), /It must be a time/);
  assert.equal(await run("deliveries", "resend", "--subscriber", appId), `There is no subscriber ${appId}.\n`);
  assert.equal(await run("deliveries", "resend", "--delivery", appId), `There is no delivery ${appId}.\n`);
  assert.match(await run("subscribers", "enable", appId), /There is no subscriber/);
  assert.match(await run("subscribers", "rotate-secret", appId), /There is no subscriber/);

  assert.deepEqual(await run("subscribers", "delete", id), { id, deleted: true });
  assert.match(await run("subscribers", "delete", id), /There is no subscriber/);
  assert.match(await run("subscribers", "enable", id), /There is no subscriber/);
  const { rows: secrets } = await lodge.deps.pool.query("select from signing_secrets where subscriber_id = $1", [id]);
  assert.equal(secrets.length, 0, "its signing secrets are deleted");
  assert.equal((await submitReport(lodge.url, key, { reportId: "untold" })).deliveryCount, 0);
  const { problemCount: _, ...deleted } = await run("apps", "delete", "acme", "ios"); // depends on how many reports the worker has read
  assert.deepEqual(deleted, { id: appId, reportCount: 2, subscriberCount: 0, sourceMapCount: 0, cardCount: 0 });
  await assert.rejects(submitReport(lodge.url, key, { reportId: "refused" }), /invalid_sdk_key/);
  assert.equal(await run("apps", "delete", "acme", "ios"), 'There is no app "ios" in the organisation "acme".\n');
  const { rows: audit } = await lodge.deps.pool.query(
    "select kind, coalesce(details->>'by', details->>'userName') as by, details->>'receiver' as receiver from audit_entries order by id",
  );
  const receiverName = `${receiver.url}/hook`;
  assert.deepEqual(audit, [
    { kind: "subscriber.enabled", by: "lodged subscribers enable", receiver: receiverName },
    { kind: "subscriber.secret_rotated", by: "lodged subscribers rotate-secret", receiver: receiverName },
    { kind: "subscriber.deleted", by: "lodged subscribers delete", receiver: receiverName },
    { kind: "app.deleted", by: "lodged apps delete", receiver: null },
  ]);
});

test("lodged deliveries resend says why it resends nothing", async () => {
  await using receiver = await startReceiver((_request, response) => response.writeHead(500).end());
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" });
  const { key, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const subscriber = ["--subscriber", subscribers[0]?.id ?? ""];
  const why = async (...which: string[]) => {
    const { code, stdout, stderr } = await runIn(lodge, ["deliveries", "resend", ...which]);
    assert.deepEqual([code, JSON.parse(stdout)], [0, { resent: 0 }]);
    return stderr;
  };
  assert.equal(await why(...subscriber), "No delivery has failed permanently.\n");
  await submitReport(lodge.url, key, { reportId: "r" });
  const [failed] = await deliveriesIn(lodge, "failed");
  const at = failed?.due_at?.toISOString();
  assert.equal(await why("--delivery", failed?.id ?? ""), `The delivery is failed. The next attempt is at ${at}.\n`);
  assert.equal(
    await why(...subscriber),
    `No delivery has failed permanently. Not settled yet: 1. The next attempt is at ${at}.\n`,
  );
  assert.equal(await why("--to", "2020-01-01T00:00:00Z"), "No delivery has failed permanently.\n");
});

test("lodged deliveries list and show report the result of each delivery and its reason", async () => {
  await using receiver = await startReceiver(({ path, body }, response) => {
    if (path !== "/echo") return void response.writeHead(Number(path.slice(1))).end();
    const link = JSON.parse(body.toString()).data.attachments[0].url;
    const escaped = [link.replaceAll("=", "\\u003d"), encodeURIComponent(link), link.replaceAll("=", "&#x3D;")];
    response.writeHead(400).end([link, ...escaped].join("\n"));
  });
  await using lodge = await startService(local);
  const inbox = { projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }] };
  const { key, appId, subscribers } = await subscribe(
    lodge,
    [
      webhook(receiver, "/echo"),
      webhook(receiver, "/204"),
      { kind: "board", project: "web", board: "Inbox", column: "Backlog" },
    ],
    inbox,
  );
  const [echo, well, board] = subscribers.map(({ id }) => id);
  const log = { partName: "log", bytes: Buffer.from("log") };
  const { eventId } = await submitReport(lodge.url, key, { reportId: "first" }, [log]);
  const [dead] = await deliveriesIn(lodge, "dead");
  await submitReport(lodge.url, key, { reportId: "second" }, [log]);
  await deliveriesIn(lodge, "dead", 2);
  await deliveriesIn(lodge, "delivered", 4);
  const run = (...args: string[]) => runBeside(lodge, ["deliveries", ...args]);

  const all = await run("list");
  const rows = await lodge.deps.db.selectFrom("deliveries").select("id").orderBy("id", "desc").execute();
  assert.deepEqual(idsOf(all), idsOf(rows));
  assert.deepEqual(idsOf(await run("list", "--limit", "2")), idsOf(all.slice(0, 2)));
  const listed = await run("list", "--state", "dead", "--subscriber", echo ?? "");
  const lastAttempt = { status: 400, reason: "It answered 400." };
  const described = {
    id: dead?.id,
    state: "dead",
    subscriber: { id: echo, kind: "webhook", url: `${receiver.url}/echo`, boardId: null },
    app: { id: appId, slug: "ios" },
    eventId,
    reportId: "first",
    messageNumber: null,
    createdAt: dead?.created_at.toISOString(),
    dueAt: null,
    attemptCount: 2,
    lastAttempt,
  };
  assert.equal(listed.length, 2);
  assert.deepEqual(listed[1], described);
  assert.deepEqual(await run("list", "--state", "waiting"), []);
  assert.deepEqual(await run("list", "--state", "dead", "--subscriber", well ?? ""), []);
  const [card] = await run("list", "--subscriber", board ?? "", "--limit", "1");
  const { board_id: boardId } = await lodge.deps.db
    .selectFrom("subscribers")
    .select("board_id")
    .where("id", "=", board ?? "")
    .executeTakeFirstOrThrow();
  assert.deepEqual(card.subscriber, { id: board, kind: "board", url: null, boardId });
  assert.deepEqual(card.lastAttempt, { status: null, reason: null });

  const { attempts, ...shown } = await run("show", dead?.id ?? "");
  assert.deepEqual(shown, described);
  const kept = await attemptsAt(lodge, dead?.id);
  assert.deepEqual(
    attempts.map(({ response: _response, ...attempt }: { response: string }) => attempt),
    kept.map(({ number, started_at, duration_ms }) => ({
      number,
      startedAt: started_at.toISOString(),
      durationMs: duration_ms,
      ...lastAttempt,
    })),
  );
  const [link = "", ...others] = attempts[0].response.split("\n");
  assert.match(
    link,
    /\/api\/artifacts\/.*\?expires=\d+&signature=\[hidden\]$/,
    "a signature that the receiver echoed is hidden",
  );
  for (const other of others) assert.match(other, /signature(\\u003d|%3D|&#x3D;)\[hidden\]$/);
  const secret = /signature=([\w-]+)/.exec(kept[0]?.response ?? "")?.[1] ?? "";
  assert.equal(secret.length, 43);
  assert.ok(!JSON.stringify(attempts[0]).includes(secret));

  assert.equal(await run("list", "--subscriber", appId), `There is no subscriber ${appId}.\n`);
  assert.equal(await run("show", appId), `There is no delivery ${appId}.\n`);
  assert.match(await run("list", "--state", "lost"), /Allowed choices are waiting, failed, dead, delivered/);
  for (const limit of ["0", "1001", "1.5", "x"]) {
    assert.match(await run("list", "--limit", limit), /It must be a number from 1 to 1000/);
  }
});

test("lodged worker says that it needs its own database", async () => {
  const { code, stderr } = await runCommand(["worker"], {});
  assert.equal(code, 1);
  assert.match(stderr, /^With the embedded database the server is its own worker; set DATABASE_URL\.$/m);
});

const idsOf = (listed: { id: string }[]) => listed.map(({ id }) => id);

const runIn = (lodge: Service, args: string[]) => runCommand(args, { ...lodge.env, LODGE_SECRET: randomUUID() });

/** Runs a command on the database of a service. Returns its output, or its error message if it failed. */
async function runBeside(lodge: Service, args: string[]) {
  const { code, stdout, stderr } = await runIn(lodge, args);
  if (code === 0) return JSON.parse(stdout);
  assert.deepEqual([code, stdout], [1, ""]);
  return stderr;
}
