import assert from "node:assert/strict";
import { test } from "node:test";
import { begin } from "../../testing/begin.ts";
import { startProxy } from "../../testing/start-proxy.ts";
import { startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { deliveriesIn, subscribe } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";

test("a card that a worker filed while its connection was lost is announced to dashboards", async () => {
  await using lodge = await startService();
  const { db, pool, listening } = lodge.deps;
  const { key } = await subscribe(lodge, [{ kind: "board", project: "web", board: "Inbox", column: "Reports" }], {
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Reports"] }] }],
  });
  await using proxy = await startProxy(lodge.env.DATABASE_URL ?? "");
  // A worker on its own machine: the processes that serve dashboards do not notice its lost connections.
  await using _worker = await startService({ DATABASE_URL: proxy.url, LODGE_ROLES: "worker" });
  const told: string[] = [];
  await listening.add({
    onGap: () => told.push("gap"),
    onNotification: (heard) => "change" in heard && told.push(heard.change.kind),
  });
  const lock = await pool.connect();
  await lock.query(begin);
  await lock.query("lock table ticket_activities"); // written together with the ticket
  await submitReport(lodge.url, key, { reportId: "r-1", title: "t" });
  await until(async () => {
    const waits = await pool.query(
      `select from pg_locks where not granted and relation = 'ticket_activities'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return waits.rowCount === 1;
  });
  proxy.swallowAnswers();
  await lock.query("rollback");
  lock.release();
  await until(async () => (await pool.query("select from tickets")).rowCount === 1);
  await proxy.refuse();
  proxy.resume();
  await proxy.accept();
  await deliveriesIn(lodge, "delivered");
  assert.equal((await db.selectFrom("tickets").select("id").execute()).length, 1);
  await until(async () => told.includes("gap") || told.includes("ticket.filed"));
});
