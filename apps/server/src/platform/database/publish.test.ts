import assert from "node:assert/strict";
import { on } from "node:events";
import { after, test } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { startService } from "../../testing/start-service.ts";
import { testPostgres } from "../../testing/test-postgres.ts";
import { createLog } from "../observe/log.ts";
import { openPool, queryBuilder } from "./database.ts";
import { createAnnouncer, type Notification, publish } from "./publish.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());
const address = { connectionString: lodge.env.DATABASE_URL ?? "" };
const organisationId = "00000000-0000-0000-0000-000000000001";
const change = { kind: "tokens.changed" } as const;

/** Collects all further announcements in order. */
async function openEar() {
  const client = new pg.Client(address);
  await client.connect();
  await client.query("listen lodge_live");
  const heard = on(client, "notification");
  return {
    next: async () => {
      const { value } = (await heard.next()) as { value: [{ payload: string }] };
      const { id, ...news } = JSON.parse(value[0].payload) as Notification;
      assert.match(id, /^[\w.-]+$/);
      return news;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const refusals = async () =>
  Number(
    /^lodged_queue_refusals_total\{queue="announce"\} (\d+)/m.exec((await lodge.request("GET", "/metrics")).text)?.[1],
  );

test("announcements above the queue's limit are dropped, and dashboards are told to fetch", async () => {
  await using ear = await openEar();
  const pool = openPool(address, lodge.deps.log, 1);
  const { announce, idle } = createAnnouncer(pool, lodge.deps.log);
  const before = await refusals();
  const busy = await pool.connect(); // the only connection, so that nothing can be sent
  const first = ear.next();
  for (let count = 0; count < 10_003; count++) announce(organisationId, change);
  assert.equal((await refusals()) - before, 10_002, "all but the first, which was in progress");
  busy.release();
  assert.deepEqual(await first, { organisationId, change });
  assert.deepEqual(await ear.next(), { missed: true });
  announce(organisationId, change);
  assert.deepEqual(await ear.next(), { organisationId, change });
  await idle();
  await pool.end();
});

test("dashboards are told to fetch when a database that lost announcements answers again", async () => {
  await using ear = await openEar();
  const failed = Promise.withResolvers<void>();
  const log = createLog("warn", { write: (line) => line.includes("could not announce changes") && failed.resolve() });
  const pool = openPool(address, log, 1);
  const { announce, idle } = createAnnouncer(pool, log);
  const { host, user } = testPostgres();
  const administrator = new pg.Client({ host, user, database: "postgres" });
  await administrator.connect();
  const { rows } = await lodge.deps.pool.query<{ name: string }>("select current_database() as name");
  const allowConnections = (isAllowed: boolean) =>
    administrator.query(`alter database ${rows[0]?.name} with allow_connections ${isAllowed}`);
  await allowConnections(false);
  announce(organisationId, change);
  await failed.promise;
  await allowConnections(true);
  assert.deepEqual(await ear.next(), { missed: true });
  await administrator.end();
  await idle();
  await pool.end();
});

test("announced changes are on the disk, even if their session does not wait for the flush", async () => {
  await using pool = openPool(address, lodge.deps.log, 1, { name: "upkeep", settings: { synchronous_commit: "off" } });
  const db = queryBuilder(pool);
  for (let round = 0; round < 20; round++) {
    const before = await db.transaction().execute(async (tx) => {
      await tx
        .insertInto("workers")
        .values({ id: `worker ${round}` })
        .execute();
      await publish(tx, organisationId, change);
      return (await sql<{ position: string }>`select pg_current_wal_insert_lsn() as position`.execute(tx)).rows[0];
    });
    const isFlushed = sql<{ is: boolean }>`select pg_current_wal_flush_lsn() >= ${before?.position}::pg_lsn as is`;
    assert.deepEqual((await isFlushed.execute(db)).rows, [{ is: true }]);
  }
});
