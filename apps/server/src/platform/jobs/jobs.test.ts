import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskList } from "graphile-worker";
import pg from "pg";
import { cloneDatabase } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { openPool } from "../database/database.ts";
import { createLog } from "../observe/log.ts";
import { makeWorkerId, startJobs } from "./jobs.ts";

/** A database that can refuse connections and close existing ones. */
async function openDatabase() {
  const { url, drop } = await cloneDatabase();
  const name = new URL(url).pathname.slice(1);
  const elsewhere = new URL(url);
  elsewhere.pathname = "/postgres";
  const admin = new pg.Client(elsewhere.href);
  await admin.connect();
  const address = { connectionString: url };
  const pool = openPool(address, createLog("silent"), 4);
  const allowConnections = async (isAllowed: boolean) => {
    await admin.query(`alter database ${admin.escapeIdentifier(name)} with allow_connections ${isAllowed}`);
    if (!isAllowed)
      await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  };
  return {
    address,
    pool,
    allowConnections,
    answers: async () => (await pool.query("select").catch(() => undefined)) !== undefined,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool.end(), admin.end()]);
      await drop();
    },
  };
}

type TestDatabase = Awaited<ReturnType<typeof openDatabase>>;

const start = ({ address, pool }: TestDatabase, tasks: TaskList, log = createLog("silent")) =>
  startJobs(makeWorkerId(), address, pool, log, { tasks, cron: [], releaseClaims: async () => {} });

const add = ({ pool }: TestDatabase, task: string) => pool.query("select graphile_worker.add_job($1)", [task]);

test("a job that fails while the database refuses connections does not stop the runner, and is retried", async () => {
  await using database = await openDatabase();
  let begun = 0;
  const fails = async () => {
    begun++;
    if (begun > 1) return;
    await database.allowConnections(false);
    throw new Error("as it happens");
  };
  const jobs = await start(database, { fails });
  await add(database, "fails");
  // Once the database does not answer, the queue has failed to record that the job failed.
  await until(async () => begun === 1 && !(await database.answers()));
  await database.allowConnections(true);
  await until(() => begun === 2);
  assert.equal(begun, 2);
  await jobs.stop();
});

test("jobs can be stopped while their runner waits for a restart", async () => {
  await using database = await openDatabase();
  const failed = Promise.withResolvers<void>();
  const log = createLog("warn", { write: (line) => line.includes("Runner stopping") && failed.resolve() });
  let runs = 0;
  const cutsItself = async () => {
    if (runs++ === 0) await database.allowConnections(false);
  };
  const jobs = await start(database, { cutsItself }, log);
  await add(database, "cutsItself");
  await failed.promise;
  await database.allowConnections(true);
  await jobs.stop();
  assert.equal(runs, 1, "a stopped runner does not run the job again, although its completion was lost");
});

test("a failed runner does not wait for a long job, even if a short one ends meanwhile, and other jobs continue", async () => {
  await using database = await openDatabase();
  const failed = Promise.withResolvers<void>();
  const log = createLog("error", { write: (line) => line.includes("Failed to complete jobs") && failed.resolve() });
  const [long, short] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  let others = 0;
  const tasks = {
    long: () => {
      begun++;
      return long.promise;
    },
    short: () => {
      begun++;
      return short.promise;
    },
    cutsItself: () => database.allowConnections(false),
    other: async () => {
      others++;
    },
  };
  const jobs = await start(database, tasks, log);
  await add(database, "long");
  await add(database, "short");
  await until(() => begun === 2);
  await add(database, "cutsItself");
  await failed.promise;
  await database.allowConnections(true);
  await until(() => database.answers());
  await database.pool.query(
    "delete from graphile_worker._private_jobs where task_id = (select id from graphile_worker._private_tasks where identifier = 'cutsItself')",
  );
  short.resolve(); // the database stores its completion, and the queue counts it twice
  await add(database, "other");
  await until(() => others > 0);
  long.resolve();
  await jobs.stop();
});

test("a worker runs a job that was locked for it without its knowledge, and does not touch its other jobs", async () => {
  await using database = await openDatabase();
  let runs = 0;
  let begun = 0;
  const long = Promise.withResolvers<void>();
  const jobs = await start(database, {
    long: () => {
      begun++;
      return long.promise;
    },
    task: async () => {
      runs++;
    },
  });
  await add(database, "long");
  await until(() => begun === 1);
  // The state after a fetch whose response was lost with its connection.
  await database.pool.query("select graphile_worker.add_job('task', run_at => now() + interval '1 hour')");
  await database.pool.query(`
    update graphile_worker._private_jobs set locked_by = (select id from workers), locked_at = now(), run_at = now()
    where locked_by is null`);
  await until(() => runs === 1);
  assert.equal(begun, 1);
  long.resolve();
  await jobs.stop();
});
