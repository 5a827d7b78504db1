import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptEvent } from "./inbox/reports/accept-event.ts";
import { begin } from "./testing/begin.ts";
import { encodeForm, envelopePart, formBoundary } from "./testing/encode-form.ts";
import { retry } from "./testing/retry.ts";
import { makeHome } from "./testing/run-lodged.ts";
import { slowTest } from "./testing/slow-test.ts";
import { slowness } from "./testing/slowness.ts";
import { startProcess } from "./testing/start-process.ts";
import { type Received, startReceiver } from "./testing/start-receiver.ts";
import { startService, withWorker } from "./testing/start-service.ts";
import { submitReport } from "./testing/submit-report.ts";
import { attemptsAt, deliveriesIn, subscribe, webhook } from "./testing/subscribe.ts";
import { until } from "./testing/until.ts";

const local = { ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1", LODGE_WEBHOOK_RETRY_SCHEDULE: "1s" };
const withoutWorker = { ...local, LODGE_ROLES: "api,ingest" };

slowTest(
  "kill -9 of the worker between accept and deliver loses none of 100 events, and another worker delivers them within 30 s",
  async () => {
    let hangs = true;
    await using receiver = await startReceiver((_request, response) => {
      if (!hangs) response.writeHead(204).end();
    });
    await using lodge = await startService(withoutWorker);
    const { key } = await subscribe(lodge, [webhook(receiver)]);
    const eventIds: string[] = [];
    for (let index = 0; index < 100; index++) {
      eventIds.push((await submitReport(lodge.url, key, { reportId: `${index}` })).eventId);
    }
    await using doomed = startProcess(["worker"], {
      ...local,
      ...lodge.env,
      LODGE_SECRET: lodge.deps.config.secret ?? "",
    });
    await receiver.until(5); // the worker has claimed these deliveries and completed none

    await using _other = await startService({ ...local, ...lodge.env, LODGE_ROLES: "worker" });
    hangs = false;
    const killedAt = performance.now();
    await doomed.end("SIGKILL");
    await deliveriesIn(lodge, "delivered", 100);
    assert.ok(performance.now() - killedAt < 30_000, "within 30 s");
    assert.deepEqual(new Set(receiver.received.map(eventIdOf)), new Set(eventIds));
  },
);

test("a killed worker's claims are released, even if the job that made them is done", async () => {
  let hangs = true;
  await using receiver = await startReceiver((_request, response) => {
    if (!hangs) response.writeHead(204).end();
  });
  await using lodge = await startService(withoutWorker);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await using doomed = startProcess(["worker"], {
    ...local,
    ...lodge.env,
    LODGE_SECRET: lodge.deps.config.secret ?? "",
  });
  await submitReport(lodge.url, key, { reportId: "r" });
  await receiver.until(1);
  // As if the job runner had restarted: the job ran again, and found that the subscriber's lane was busy.
  const { rowCount } = await lodge.deps.pool.query(
    "delete from graphile_worker._private_jobs where payload->>'subscriberIds' is not null",
  );
  assert.equal(rowCount, 1);
  hangs = false;
  await doomed.end("SIGKILL");

  await using _next = await startService({ ...local, ...lodge.env, LODGE_ROLES: "worker" });
  await deliveriesIn(lodge, "delivered");
  assert.equal(receiver.received.length, 2);
});

slowTest("deliveries claimed by a statement that outlives its killed worker are released", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(withoutWorker);
  const { pool } = lodge.deps;
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await pool.query("update subscribers set per_minute = 6000"); // so that claiming locks it
  await using doomed = startProcess(["worker"], {
    ...local,
    ...lodge.env,
    LODGE_SECRET: lodge.deps.config.secret ?? "",
  });
  await until(async () => (await pool.query("select from workers")).rowCount === 1);
  const lock = await pool.connect();
  await lock.query(`${begin}; select from subscribers for no key update`);
  await submitReport(lodge.url, key, { reportId: "r" });
  const waits = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = 'lodged worker'",
    );
    return rows.length;
  };
  await until(async () => (await waits()) >= 1);
  await doomed.end("SIGKILL");
  await using _next = await startService({ ...local, ...lodge.env, LODGE_ROLES: "worker" });
  await until(async () => (await pool.query("select from workers where died_at is not null")).rowCount === 1);
  await lock.query("rollback");
  lock.release();
  await deliveriesIn(lodge, "delivered");
  await until(async () => (await pool.query("select from workers")).rowCount === 1);
});

test("a worker that is told to stop finishes what it has started and leaves the rest to the next", async () => {
  const held: (() => void)[] = [];
  await using receiver = await startReceiver((_request, response, index) => {
    if (index < 10) held.push(() => response.writeHead(204).end());
    else response.writeHead(204).end();
  });
  await using lodge = await startService(withoutWorker);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await using home = await makeHome();
  const worker = home.run(["worker"], { ...local, ...lodge.env, LODGE_SECRET: lodge.deps.config.secret ?? "" });
  for (let index = 0; index < 30; index++) await submitReport(lodge.url, key, { reportId: `${index}` });
  await receiver.until(10);
  worker.kill("SIGTERM");
  await worker.said('"msg":"stopping"');
  for (const release of held) release();
  assert.equal((await worker.ended).code, 0);
  assert.equal((await deliveriesIn(lodge, "delivered", 10)).length, 10);
  assert.equal(receiver.received.length, 10);

  await using _next = await startService({ ...local, ...lodge.env, LODGE_ROLES: "worker" });
  await deliveriesIn(lodge, "delivered", 30);
  assert.equal(receiver.received.length, 30, "no delivery was sent twice");
});

test("a worker that loses every connection, including its lock, continues", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await lodge.deps.pool.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const body = encodeForm([envelopePart({ reportId: "r" })]);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": `multipart/form-data; boundary="${formBoundary}"`,
  };
  // A lost connection may only be noticed when it is used.
  const { status } = await retry(() => lodge.request("POST", "/api/ingest", { body, headers }));
  assert.equal(status, 200);
  await deliveriesIn(lodge, "delivered");
  await until(async () => {
    const { rowCount } = await lodge.deps.pool.query(
      "select from workers where not pg_try_advisory_xact_lock(hashtextextended(id, 0))",
    );
    return rowCount === 1;
  });
});

slowTest("a receiver that hangs delays no other by more than a second, with 10,000 deliveries queued", async () => {
  const arrivals = new Map<string, number>();
  await using fast = await startReceiver((request, response) => {
    arrivals.set(eventIdOf(request), request.at);
    response.writeHead(204).end();
  });
  await using hanging = await startReceiver(() => {});
  await using lodge = await startService(local);
  const { key, organisationId, appId, keyId } = await subscribe(lodge, [webhook(hanging), webhook(fast)]);
  const app = { organisationId, id: appId, keyId, replies: false };
  const accept = (index: number) =>
    acceptEvent(lodge.deps, app, { reportId: `${index}` }, { bytes: Buffer.from(`{"reportId":"${index}"}`) }, []);
  for (let index = 0; index < 10_000; index += 200) {
    await Promise.all(Array.from({ length: 200 }, (_, offset) => accept(index + offset))); // share statements
  }
  await fast.until(10_000);
  assert.equal(arrivals.size, 10_000);
  assert.ok(hanging.received.length >= 10, "the hanging receiver has deliveries in progress");

  // A busy machine delays every delivery, so the test compares with a server on which no receiver hangs.
  await using calm = await startService(local);
  const { key: calmKey } = await subscribe(calm, [webhook(fast)]);
  const delaysMs: number[] = [];
  for (let index = 0; index < 20; index++) {
    const withoutMs = await timeToArrival(arrivals, calm.url, calmKey, `probe ${index}`);
    delaysMs.push((await timeToArrival(arrivals, lodge.url, key, `probe ${index}`)) - withoutMs);
  }
  const medianMs = delaysMs.sort((a, b) => a - b)[10] ?? Number.POSITIVE_INFINITY;
  assert.ok(medianMs < 1_000 * slowness(), `${medianMs} ms`);
});

slowTest("a slow receiver with a backlog gets more and more concurrent deliveries, and delays no other", async () => {
  const arrivals = new Map<string, number>();
  await using fast = await startReceiver((request, response) => {
    arrivals.set(eventIdOf(request), request.at);
    response.writeHead(204).end();
  });
  let atOnce = 0;
  let atOnceMax = 0;
  await using slow = await startReceiver((_request, response) => {
    atOnceMax = Math.max(atOnceMax, ++atOnce);
    setTimeout(() => {
      atOnce--;
      response.writeHead(204).end();
    }, 1_000);
  });
  await using lodge = await startService(local);
  const { key, organisationId, appId, keyId } = await subscribe(lodge, [webhook(slow), webhook(fast)]);
  const app = { organisationId, id: appId, keyId, replies: false };
  await using calm = await startService(local);
  const { key: calmKey } = await subscribe(calm, [webhook(fast)]);
  const backlog = 500;
  await Promise.all(
    Array.from({ length: backlog }, (_, index) =>
      acceptEvent(lodge.deps, app, { reportId: `${index}` }, { bytes: Buffer.from(`{"reportId":"${index}"}`) }, []),
    ),
  );
  await slow.until(200);
  // A check that a busy machine delays is repeated, but only while there is a backlog that could delay it.
  const delaysMs: number[] = [];
  do {
    const probeMs = await timeToArrival(arrivals, lodge.url, key, `probe ${delaysMs.length}`);
    delaysMs.push(probeMs - (await timeToArrival(arrivals, calm.url, calmKey, `probe ${delaysMs.length}`)));
  } while (delaysMs.length < 3 && slow.received.length < backlog);
  assert.ok(Math.min(...delaysMs) < 1_000 * slowness(), `${delaysMs} ms`);
  await deliveriesIn(lodge, "delivered", 2 * (backlog + delaysMs.length));
  assert.ok(atOnceMax > 20 && atOnceMax <= 100, `${atOnceMax} at once`);
});

test("an attempt at a receiver that hangs ends after 15 s, with the reason", async () => {
  await using hanging = await startReceiver(() => {});
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(hanging)]);
  await submitReport(lodge.url, key, { reportId: "r" });
  const [delivery] = await deliveriesIn(lodge, "failed");
  const [attempt] = await attemptsAt(lodge, delivery?.id);
  assert.equal(attempt?.reason, "No response within 15 s.");
  assert.ok((attempt?.duration_ms ?? 0) >= 14_900);
});

test("metrics show when a sweep last finished, and how long it took", async () => {
  await using lodge = await startService(local);
  const metric = async (name: string) => {
    const { text } = await lodge.request("GET", "/metrics");
    return Number(new RegExp(`^${name}\\{task="sweep_store"\\} (.+)$`, "m").exec(text)?.[1]);
  };
  const before = Date.now() / 1000;
  assert.ok(
    !((await metric("lodged_task_finished_timestamp_seconds")) >= before),
    "the metric is absent or from an earlier test",
  );
  await lodge.deps.pool.query("select graphile_worker.add_job('sweep_store')");
  while (!((await metric("lodged_task_finished_timestamp_seconds")) >= before));
  assert.ok((await metric("lodged_task_duration_seconds")) >= 0);
});

/** The milliseconds from a report to its arrival at the receiver that records arrivals by event. */
async function timeToArrival(arrivals: Map<string, number>, url: string, key: string, reportId: string) {
  const acceptedAt = performance.now();
  const { eventId } = await submitReport(url, key, { reportId });
  await until(() => arrivals.has(eventId));
  return (arrivals.get(eventId) ?? Number.POSITIVE_INFINITY) - acceptedAt;
}

const eventIdOf = ({ body }: Received) => /"eventId":"([^"]+)"/.exec(body.toString("latin1"))?.[1] ?? "";
