import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { timeOf } from "../../platform/uuid-time.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { keepReading } from "./keep-reading.ts";
import { holdReading, readEvents } from "./read-events.ts";

const minuteMs = 60_000;
let lodge: Service;
before(async () => {
  lodge = await startService({ LODGE_ROLES: "api,ingest" }); // so that only this test reads events
});
after(() => lodge[Symbol.asyncDispose]());

/** Creates an app with `count` unread events, accepted `minutesAgo`. */
async function makeApp(count: number, minutesAgo: number) {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: `acme-${randomUUID()}` },
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const { rows } = await lodge.deps.pool.query<{ id: string }>(
    `with made as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope)
      select $1, uuidv7($4 * interval '-1 minute'), n::text, $2, convert_to('{"kind": "crash", "title": "Broken"}', 'UTF8')
      from generate_series(1, $3) n returning app_id, id
    ) insert into unread_events (app_id, event_id) select app_id, id from made returning event_id as id`,
    [app.id, app.keys[0]?.id, count, minutesAgo],
  );
  const countOf = async (table: "unread_events" | "event_summaries") =>
    (await lodge.deps.db.selectFrom(table).select("event_id").where("app_id", "=", app.id).execute()).length;
  return {
    id: app.id,
    eventIds: rows.map(({ id }) => id).sort(),
    unread: () => countOf("unread_events"),
    read: () => countOf("event_summaries"),
  };
}

test("an app gets its turn even if another one has more and older events", async () => {
  const busy = await makeApp(10_000, 2);
  const quiet = await makeApp(1, 0);
  while ((await quiet.read()) === 0) assert.equal((await readEvents(lodge.deps)).count > 0, true);
  assert.notEqual(await busy.unread(), 0);
  while ((await readEvents(lodge.deps)).count > 0);
  assert.deepEqual([await busy.unread(), await busy.read(), await quiet.read()], [0, 10_000, 1]);
});

test("while one reader has an app with many events, the next reader reads the other apps", async () => {
  const held = await makeApp(1_500, 2);
  const free = await makeApp(3, 0);
  await lodge.deps.db.transaction().execute(async (tx) => {
    await holdReading(tx, held.id);
    const { count, oldestAt } = await readEvents(lodge.deps);
    assert.deepEqual([count, oldestAt?.getTime()], [3, timeOf(free.eventIds[0] ?? "")]);
    assert.deepEqual(await readEvents(lodge.deps), { count: 0, oldestAt: undefined });
  });
  assert.deepEqual([await held.unread(), await free.read()], [1_500, 3]);
  const { oldestAt } = await readEvents(lodge.deps);
  assert.equal(oldestAt?.getTime(), timeOf(held.eventIds[0] ?? ""));
  assert.ok(Date.now() - oldestAt.getTime() > minuteMs, "the result shows that reading is late");
  while ((await readEvents(lodge.deps)).count > 0);
});

test("the events of an app are read in the order in which they arrived, 200 at a time", async () => {
  const { id, eventIds } = await makeApp(450, 0);
  const read = () =>
    lodge.deps.db
      .selectFrom("event_summaries")
      .select("event_id")
      .where("app_id", "=", id)
      .orderBy("event_id")
      .execute();
  for (const seen of [200, 400, 450]) {
    await readEvents(lodge.deps);
    assert.deepEqual(
      (await read()).map(({ event_id }) => event_id),
      eventIds.slice(0, seen),
    );
  }
});

test("reports are read even if cards cannot be returned", async (t) => {
  const slug = `acme-${randomUUID()}`;
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    apps: [
      {
        name: "Shop",
        slug: "shop",
        keys: ["default"],
        subscribers: [{ kind: "board", project: "web", board: "Inbox", column: "Backlog" }],
      },
    ],
  });
  const { pool } = lodge.deps;
  const count = async (query: string) => (await pool.query(query)).rowCount ?? 0;
  const report = (reportId: string) =>
    submitReport(lodge.url, apps[0]?.keys[0]?.key ?? "", { reportId, error: { type: "TypeError", message: "x" } });
  {
    await using _worker = await startService({ ...withWorker, ...lodge.env });
    await report("1");
    await until(async () => (await count("select from report_cards where ticket_id is not null")) === 1);
    await until(async () => (await count("select from unread_events")) === 0);
  }
  // Fails like a statement that exceeds its timeout.
  await pool.query(`create function fails() returns trigger language plpgsql as $$
    begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`);
  await pool.query(
    "create trigger fails before update of returned_at on report_cards for each row execute function fails()",
  );
  await pool.query("update problems set reopened_at = now()");
  await report("2");
  const reading = keepReading(lodge.deps);
  t.after(() => reading.stop());
  await until(async () => (await count("select from unread_events")) === 0);
});
