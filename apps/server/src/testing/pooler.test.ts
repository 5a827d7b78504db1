import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { examine } from "../doctor.ts";
import { readConfig } from "../platform/config/config.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { keepClients } from "./keep-clients.ts";
import { startPooler } from "./start-pooler.ts";
import { startReceiver } from "./start-receiver.ts";
import { cloneDatabase, startService, withWorker } from "./start-service.ts";
import { subscribe, webhook } from "./subscribe.ts";
import { until } from "./until.ts";

const sessions = 24;

test("a server works fully behind a session pooler, and failures of the pooler neither lose nor duplicate anything", async () => {
  await using receiver = await startReceiver();
  await using direct = await startService({ LODGE_ROLES: "api" });
  await using pooler = await startPooler(direct.env.DATABASE_URL ?? "", { sessions });
  await using lodge = await startService({
    ...withWorker,
    DATABASE_URL: pooler.url,
    LODGE_TICKET_RATE_PER_MINUTE: "1000000",
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
  });
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const { key } = await subscribe(lodge, [webhook(receiver)]);

  for (const [pool, timeout] of [
    [lodge.deps.pool, "5s"],
    [lodge.deps.dashboard.pool, "7s"],
  ] as const) {
    const { rows } = await pool.query("show statement_timeout");
    assert.deepEqual(rows, [{ statement_timeout: timeout }]);
  }
  const heard = Promise.withResolvers<void>();
  await lodge.deps.listening.add({ onNotification: () => heard.resolve(), onGap: () => {} });
  assert.equal((await direct.fileTicket(tokens[0]?.secret, { title: "heard" })).status, 201);
  await heard.promise;

  const load = keepClients(lodge, tokens[0]?.secret, key);
  await load.goesOn();
  pooler.pause();
  await load.isRefused();
  pooler.resume();
  await load.goesOn();
  await pooler.restart();
  await load.goesOn();
  const hoarders = Array.from({ length: 2 * sessions }, () => new pg.Client(pooler.url).on("error", () => {}));
  for (const hoarder of hoarders) {
    await hoarder.connect();
    hoarder.query("select").catch(() => {}); // a client that waits for a session is cut off in the end
  }
  await direct.deps.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lodged doors' and datname = current_database() and client_port = -1 and pid <> pg_backend_pid()",
  );
  await load.isRefused();
  await Promise.all(hoarders.map((hoarder) => hoarder.end()));
  await load.goesOn();
  const answered = await load.stop();

  const sorted = (rows: { id: string | undefined }[]) => rows.map(({ id }) => id).sort();
  const tickets = await direct.deps.pool.query<{ id: string }>(
    "select title as id from tickets where title <> 'heard'",
  );
  const events = await direct.deps.pool.query<{ id: string }>("select report_id as id from events");
  assert.deepEqual(sorted(tickets.rows), answered);
  assert.deepEqual(sorted(events.rows), answered);
  const delivered = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  await until(() => delivered().size === answered.length);
});

test("a pooler that does not pool by session is refused clearly, at the start and by the doctor", async () => {
  const database = await cloneDatabase();
  {
    await using pooler = await startPooler(database.url, { mode: "transaction" });
    const config = readConfig({ DATABASE_URL: pooler.url }, "command");
    await assert.rejects(openDatabase(config, "command"), /shares a session between connections.*pool_mode = session/);
    const findings = await Array.fromAsync(examine(() => config));
    assert.deepEqual(
      findings
        .filter(({ text }) => text.startsWith("Database"))
        .map(({ state, text }) => [state, /pool_mode/.test(text)]),
      [["wrong", true]],
    );
  }
  await database.drop();
});
