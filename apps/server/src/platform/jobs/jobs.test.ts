import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { openPool } from "../database/database.ts";
import { createLog } from "../observe/log.ts";
import { makeWorkerId, startJobs } from "./jobs.ts";

test("a job that fails while the database takes no connection ends nothing, and is done again", async () => {
  const database = await cloneDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = new URL(database.url);
  elsewhere.pathname = "/postgres";
  const admin = new pg.Client(elsewhere.href);
  await admin.connect();
  const take = (does: boolean) =>
    admin.query(`alter database ${admin.escapeIdentifier(name)} with allow_connections ${does}`);
  const log = createLog("silent");
  const pool = openPool({ connectionString: database.url }, log, 4);
  let begun = 0;
  const fails = async () => {
    begun++;
    if (begun > 1) return;
    await take(false);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    throw new Error("as it happens");
  };
  const jobs = await startJobs(makeWorkerId(), { connectionString: database.url }, pool, log, {
    tasks: { fails },
    cron: [],
    releaseClaims: async () => {},
  });
  await pool.query("select graphile_worker.add_job('fails')");
  // It is lost to the queue by then that the job has failed.
  await until(async () => begun === 1 && (await pool.query("select").catch(() => undefined)) === undefined);
  await take(true);
  await until(() => begun === 2);
  assert.equal(begun, 2);
  await jobs.stop();
  await pool.end();
  await admin.end();
  await database.drop();
});
