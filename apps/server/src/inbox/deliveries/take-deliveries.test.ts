import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type pg from "pg";
import { begin } from "../../testing/begin.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { subscribe, webhook } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { disableSubscriber } from "../subscribers/enable-subscriber.ts";
import { failedAtOnceMax, takeDeliveries } from "./take-deliveries.ts";

const backlog = 12_000;

let lodge: Service;
let subscriber: { appId: string; id: string };
before(async () => {
  lodge = await startService({ LODGE_ROLES: "api,ingest" });
  const { key, appId, subscribers } = await subscribe(lodge, [webhook({ url: "http://127.0.0.1:9" })]);
  subscriber = { appId, id: subscribers[0]?.id ?? "" };
  await submitReport(lodge.url, key, { reportId: "r" });
  const client = await lodge.deps.pool.connect();
  await client.query("set session_replication_role = replica"); // turns off foreign keys, since the events do not exist
  await client.query(
    `insert into deliveries (app_id, subscriber_id, event_id, state, due_at)
    select $1, $2, gen_random_uuid(), 'waiting', now() - interval '1 hour' + n * interval '1 ms'
    from generate_series(1, $3::integer) n`,
    [appId, subscriber.id, backlog],
  );
  await client.query("set session_replication_role = default");
  await client.query("analyze deliveries");
  client.release();
});
after(() => lodge[Symbol.asyncDispose]());

/** The number of rows of `deliveries` that a claim reads after these statements, with a generic plan. Rolls back. */
async function countRead(given: string): Promise<number> {
  const client = await lodge.deps.pool.connect();
  const read = async () => {
    const { rows } = await client.query<{ count: number }>(
      `select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_user_tables where relname = 'deliveries'`,
    );
    return rows[0]?.count ?? 0;
  };
  try {
    await client.query(begin);
    await client.query("set local plan_cache_mode = force_generic_plan");
    await client.query(given);
    const before = await read();
    await takeDeliveries({ ...lodge.deps, pool: client as unknown as pg.Pool }, "one", subscriber, [], 10);
    return (await read()) - before;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const first = "id = (select id from deliveries order by due_at limit 1)";

for (const [name, given] of Object.entries({
  "without ordered delivery": "select",
  "with ordered delivery": "update subscribers set ordered = true",
  "with ordered delivery whose first delivery another worker has claimed": `update subscribers set ordered = true;
    update deliveries set claimed_by = 'other' where ${first}`,
})) {
  test(`a claim does not read the whole backlog of a subscriber ${name}`, async () => {
    const count = await countRead(given);
    assert.ok(count <= 250, `${count}`);
  });
}

test("all deliveries of a disabled subscriber fail, in batches", async () => {
  const dead = async () => {
    const { rows } = await lodge.deps.pool.query(
      "select count(*)::integer as count from deliveries where state = 'dead'",
    );
    return rows[0].count;
  };
  await disableSubscriber(lodge.deps.db, subscriber.id, "It has failed for 5 days.");
  assert.deepEqual(await takeDeliveries(lodge.deps, "one", subscriber, [], 10), []);
  assert.equal(await dead(), failedAtOnceMax);
  await using _worker = await startService({ ...lodge.env, ...withWorker });
  await until(async () => (await dead()) === backlog + 1);
});
