import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { deliveriesIn, subscribe, webhook } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { wakeOverdue } from "../subscribers/wake-overdue.ts";
import { takeDeliveries } from "./take-deliveries.ts";

const local = {
  ...withWorker,
  LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  LODGE_WEBHOOK_RETRY_SCHEDULE: Array(20).fill("500ms").join(),
};

test("a failed attempt is retried and succeeds even if the attempts beside it were slow", async () => {
  const held: ServerResponse[] = [];
  let isWell = false;
  await using receiver = await startReceiver(({ body }, response) => {
    const { reportId } = JSON.parse(body.toString()).data as { reportId: string };
    if (isWell) response.writeHead(204).end();
    else if (Number(reportId) < 5) response.writeHead(503).end();
    else held.push(response);
  });
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await Promise.all(Array.from({ length: 8 }, (_, index) => submitReport(lodge.url, key, { reportId: `${index}` })));
  // Wait until five attempts in a row have failed and their retries are due. None may start while the others are held.
  await until(async () => {
    const { rows } = await lodge.deps.pool.query(`
      select exists (select from deliveries where state in ('waiting', 'failed') and claimed_by is not null) as "isBusy",
        exists (select from deliveries where state = 'failed' and due_at < now() and claimed_by is null) as "isDue",
        exists (select from deliveries where state = 'failed' and due_at >= now()) as "isDueLater",
        (select count(*) from graphile_worker._private_jobs where payload->>'subscriberIds' is not null) as jobs`);
    const [{ isBusy, isDue, isDueLater, jobs }] = rows;
    return isBusy && isDue && !isDueLater && jobs === 1;
  });
  isWell = true;
  for (const response of held) response.writeHead(204).end();
  await deliveriesIn(lodge, "delivered", 8);
});

test("with ordered delivery, two workers together claim one delivery at a time", async () => {
  await using lodge = await startService({ ...local, LODGE_ROLES: "api,ingest" });
  const { pool } = lodge.deps;
  const { key, appId, subscribers } = await subscribe(lodge, [webhook({ url: "http://127.0.0.1:9" })]);
  await pool.query("update subscribers set ordered = true");
  for (const reportId of ["1", "2", "3"]) await submitReport(lodge.url, key, { reportId });
  const subscriber = { appId, id: subscribers[0]?.id ?? "" };
  for (let round = 0; round < 200; round++) {
    const taken = await Promise.all(["a", "b"].map((worker) => takeDeliveries(lodge.deps, worker, subscriber, [], 10)));
    assert.deepEqual(
      taken.flat().map(({ reportId }) => reportId),
      ["1"],
    );
    await pool.query("update deliveries set claimed_by = null");
  }
});

test("overdue deliveries that no worker has claimed are delivered", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { pool } = lodge.deps;
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "delivered");
  const waking = "select from graphile_worker._private_jobs where payload->>'subscriberIds' is not null";
  const jobs = async () => (await pool.query(waking)).rowCount;
  await until(async () => (await jobs()) === 0);
  // The state after a crash that lost the job but kept the delivery.
  await pool.query(
    "update deliveries set state = 'waiting', settled_at = null, due_at = now() - interval '30 seconds'",
  );
  await wakeOverdue(lodge.deps);
  assert.equal(await jobs(), 0, "not overdue for a minute yet");
  await pool.query("update deliveries set due_at = now() - interval '61 seconds'");
  await wakeOverdue(lodge.deps);
  await receiver.until(2);
});

test("a worker wrongly declared dead does not claim the delivery that it is still attempting, but another worker does", async () => {
  await using lodge = await startService({ ...local, LODGE_ROLES: "api,ingest" });
  const { key, appId, subscribers } = await subscribe(lodge, [webhook({ url: "http://127.0.0.1:9" })]);
  await submitReport(lodge.url, key, { reportId: "1" });
  const subscriber = { appId, id: subscribers[0]?.id ?? "" };
  const [taken] = await takeDeliveries(lodge.deps, "a", subscriber, [], 10);
  assert.ok(taken);
  await lodge.deps.pool.query("update deliveries set claimed_by = null"); // as another worker does to release the claims of a dead one
  assert.deepEqual(await takeDeliveries(lodge.deps, "a", subscriber, [taken.id], 10), []);
  assert.equal((await takeDeliveries(lodge.deps, "b", subscriber, [], 10)).length, 1);
});
