import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { begin } from "../../testing/begin.ts";
import { type Answer, makePatientDatabase, startService } from "../../testing/start-service.ts";
import type { Refusal } from "../errors.ts";
import { batchedStatement } from "./batched-statement.ts";
import { openPool } from "./database.ts";

const askedMax = 1024;
const tooMany = 76;

test("with too many requests for a locked table, the last are refused immediately and the others are served", async () => {
  await using patient = await makePatientDatabase();
  const settings = { ...patient.env, LODGE_TICKET_RATE_PER_MINUTE: "100000" };
  await using lodge = await startService(settings, patient.overrides);
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: ["web"], permissions: ["tickets:write"] }],
  });
  const file = () => lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  const locking = new pg.Client({ connectionString: lodge.env.DATABASE_URL });
  await locking.connect();
  await locking.query(`${begin}; lock table rate_limits in access exclusive mode`);

  const refusals = (text: string) =>
    Number(/^lodged_queue_refusals_total\{queue="authenticate_token"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  const before = refusals((await lodge.request("GET", "/metrics")).text);
  const early: Answer[] = [];
  const allEarly = Promise.withResolvers<void>();
  const answers = Array.from({ length: askedMax + tooMany }, async () => {
    const answer = await file();
    early.push(answer);
    if (early.length === tooMany) allEarly.resolve();
    return answer;
  });
  await allEarly.promise;
  for (const { status, headers, body } of early) {
    assert.deepEqual([status, body.error, headers.get("retry-after")], [503, "unavailable", "1"]);
  }
  assert.equal((await lodge.request("GET", "/readyz")).status, 200, "connections are left for other requests");
  const { text } = await lodge.request("GET", "/metrics");
  assert.match(text, /^lodged_queue_depth\{queue="authenticate_token"\} 1024$/m);
  assert.equal(refusals(text) - before, tooMany);
  assert.equal(early.length, tooMany, "no other request was refused");

  await locking.query("rollback");
  await locking.end();
  const served = (await Promise.all(answers)).filter(({ status }) => status === 201);
  assert.equal(served.length, askedMax);
  assert.equal((await file()).status, 201);
});

test("requests above the byte limit are refused, but a single request is always accepted", async () => {
  await using lodge = await startService();
  const pool = openPool({ connectionString: lodge.env.DATABASE_URL ?? "" }, lodge.deps.log, 26);
  const { alone } = batchedStatement({
    name: "weigh",
    columns: {},
    carriesBytes: true,
    row: { length: "integer" },
    text: (request, bytes) => `select n, octet_length(${bytes}) as length
      from ${request}, (select pg_advisory_xact_lock_shared(1)) waited`,
  });
  const bytes = Buffer.alloc(5_000_000);
  const locking = await lodge.deps.pool.connect();
  await locking.query(`${begin}; select pg_advisory_xact_lock(1)`);
  const asked = Array.from({ length: 27 }, () => alone(pool, { bytes }));
  const refused = await Promise.allSettled(asked.slice(26));
  assert.equal(refused[0]?.status === "rejected" && (refused[0].reason as Refusal).code, "unavailable");
  await locking.query("rollback");
  locking.release();
  const answers = await Promise.all(asked.slice(0, 26));
  assert.ok(answers.every((answer) => answer?.length === bytes.length));
  const whole = Buffer.alloc(129 * 1_048_576);
  assert.equal((await alone(pool, { bytes: whole }))?.length, whole.length);
  await pool.end();
});
