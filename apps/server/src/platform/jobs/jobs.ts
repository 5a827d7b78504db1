import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Task, TaskList, WorkerEvents } from "graphile-worker";
import { CompiledQuery, sql } from "kysely";
import type pg from "pg";
import { type Connection, openListeningConnection } from "../database/connection.ts";
import type { Database, DatabaseAddress, Transaction } from "../database/database.ts";
import { jobsSchemaOf, schemaOf } from "../database/schema.ts";
import { splitStatements } from "../database/split-statements.ts";
import { createLog, type Log } from "../observe/log.ts";
import { Logger, parseCronItems, run, runMigrations } from "./graphile-worker.ts";

/** The number of concurrent jobs. There can be many, since jobs mostly wait for other systems. */
const concurrentJobs = 200;
/** The polling interval, which delays jobs with a later start. The database announces jobs that are due immediately. */
const pollIntervalMs = 500;
const releaseIntervalMs = 5_000;
const reconnectDelayMs = 1_000;
const restartDelayMs = 1_000;
const firstAnswerTimeoutMs = 10_000;
const shutdownAbortTimeoutMs = 30_000;
/** The time that a failed runner waits for its jobs: longer than a delivery attempt, but shorter than a backlog. */
const failedRunnerEndMs = 20_000;
/** On a forced shutdown, the queue stops waiting after 5 s. */
const forcedEndMs = 6_000;
/** Longer than the statement timeout: after this, all statements of a dead worker have finished or failed. */
const lateSeconds = 30;

/** The work of a worker: tasks by name, their cron schedule, and how to release the claims of dead workers. */
export type Work = {
  tasks: TaskList;
  cron: readonly { task: string; match: string }[];
  /** Releases the claims of dead workers, in the transaction that unlocks their jobs. */
  releaseClaims: (client: pg.ClientBase, workerIds: string[]) => Promise<void>;
};

/** Each killed worker costs its jobs an attempt. They must never run out of attempts. */
const attemptsMax = 32_767;

/**
 * The statement that adds a job for each row of `rows`, a query of the payload (JSON) and the start time. Run it in the
 * transaction that causes the job. Unlike the queue's own function, it does not NOTIFY: that takes a database-wide lock
 * until the commit is flushed, so that commits wait for each other (docs/decisions/jobs.md).
 */
export const addJobsSql = (task: string, rows: string) => `
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = '${task}'), job.payload, job.run_at, ${attemptsMax}
  from (${rows}) job (payload, run_at)
  returning id`;

/** Adds a job that is due immediately, in the transaction if `db` is one. */
export async function addJob(db: Database | Transaction, task: string, payload: object): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(addJobsSql(task, "select $1::json, now()"), [JSON.stringify(payload)]));
}

/** Jobs whose payload contains one of these ids. */
const jobsAbout = (subjects: string[]) => sql`
  exists (select from json_each_text(job.payload) named where named.value = any(${subjects}))`;

/** Copies the jobs that are about these ids from another database, with their start times. */
export async function copyJobs(from: Database, tx: Transaction, subjects: string[]): Promise<void> {
  const { rows } = await sql<{ task: string; jobs: string }>`
    select identifier as task, json_agg(json_build_object('payload', payload, 'run_at', run_at))::text as jobs
    from _private_jobs job join _private_tasks task on task.id = job.task_id
    where ${jobsAbout(subjects)} group by identifier`.execute(from);
  for (const { task, jobs } of rows) {
    const added = addJobsSql(
      task,
      "select payload, run_at from json_to_recordset($1::json) as due (payload json, run_at timestamptz)",
    );
    await tx.executeQuery(CompiledQuery.raw(added, [jobs]));
  }
}

/** Deletes the jobs that are about these ids, including running ones. */
export async function dropJobs(tx: Transaction, subjects: string[]): Promise<void> {
  await sql`delete from _private_jobs job where ${jobsAbout(subjects)}`.execute(tx);
}

/**
 * Notifies the workers of new jobs, so that they need not wait for their next poll. Calls while one is in progress
 * are merged into one. A lost notification delays jobs by half a second.
 */
export function jobAnnouncer(pool: pg.Pool, log: Log): () => void {
  let underWay = false;
  let again = false;
  const announce = () => {
    again = underWay;
    if (underWay || pool.ending) return;
    underWay = true;
    pool
      .query(`select pg_notify('jobs:insert', '{"count":1}')`)
      .catch((error: unknown) => log.warn({ err: error }, "jobs could not be announced"))
      .finally(() => {
        underWay = false;
        if (again) announce();
      });
  };
  return announce;
}

/** Migrates the queue's own schema. A migration of Lodge must register each task for which statements add jobs. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const schema = jobsSchemaOf(schemaOf(pool));
  const { rows } = await pool.query<{ isNew: boolean }>(`select to_regclass($1) is null as "isNew"`, [
    `${schema}.migrations`,
  ]);
  const skips = rows[0]?.isNew ? isOfOthers : () => false;
  await runMigrations({ pgPool: oneByOne(pool, skips), schema, logger: jobLogger(createLog("silent")) });
}

/** `worker:migrate` stops the workers of every schema of the database. A new schema has none, so it is skipped. */
const isOfOthers = (values: unknown[] = []) => values[0] === "worker:migrate";

/** A pool whose connections send the statements of a text one by one, except for skipped ones. */
const oneByOne = (pool: pg.Pool, skips: (values?: unknown[]) => boolean): pg.Pool =>
  Object.create(pool, {
    connect: {
      value: async () => {
        const client = await pool.connect();
        const query = async (asked: string | pg.QueryConfig, values?: unknown[]) => {
          const { text, values: given = values } = typeof asked === "string" ? { text: asked } : asked;
          let result: pg.QueryResult | undefined;
          if (skips(given)) return undefined;
          for (const statement of splitStatements(text)) result = await client.query(statement, given);
          return result;
        };
        return Object.create(client, { query: { value: query } });
      },
    },
  });

/** A unique worker id for this process. */
export const makeWorkerId = (): string => `worker-${randomUUID()}`;

/** The log of the job queue, without successful jobs and without warnings about a small pool. */
const jobLogger = (log: Log) =>
  new Logger(() => (level, message, meta) => {
    if (level === "error") log.error({ err: meta?.error }, message);
    else if (level === "warning" && !message.includes("maxPoolSize")) log.warn(message);
    else log.trace(message);
  });

/**
 * Runs jobs until it is stopped. While it lives, it holds an advisory lock named after its id. Every few
 * seconds it unlocks the jobs of workers whose lock is free, so jobs of a killed process run again within 15 s.
 */
export async function startJobs(
  workerId: string,
  address: DatabaseAddress,
  pool: pg.Pool,
  log: Log,
  { tasks, cron, releaseClaims }: Work,
): Promise<{ stop: () => Promise<void> }> {
  const lock = await holdLock(workerId, address, log);
  const known = new Set<string>();
  const unlockLost = lostJobs(workerId, pool, known);
  const release = async () => {
    await releaseDead(workerId, pool, releaseClaims);
    await unlockLost();
  };
  const start = async () => {
    await releaseDead(workerId, pool, releaseClaims);
    known.clear();
    // Jobs that are locked in this worker's name were locked by an earlier runner, which has ended.
    await pool.query("select force_unlock_workers(array[$1])", [workerId]);
    return startRunner(workerId, pool, log, tasks, cron, known);
  };
  let runner = await start().catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  let stopping = false;
  const watched = (async () => {
    while (true) {
      await runner.promise.catch(() => {}); // the queue has logged the error
      if (!stopping) await sleep(restartDelayMs);
      if (stopping) return;
      try {
        runner = await start();
        log.warn("the job runner failed and was restarted");
      } catch (error) {
        log.error({ err: error }, "the job runner could not be restarted"); // the next round retries
      }
      if (stopping) await runner.stop().catch(() => {}); // stop() only stopped the previous runner
    }
  })();
  const timer = setInterval(() => {
    release().catch((error: unknown) => log.warn({ err: error }, "could not look for dead workers"));
  }, releaseIntervalMs);
  return {
    stop: async () => {
      stopping = true;
      clearInterval(timer);
      await runner.stop().catch(() => {}); // it ended by itself
      await watched;
      await lock.release();
    },
  };
}

/** Starts a runner, and waits until it has fetched jobs: if the first fetch fails, all later ones fail. */
async function startRunner(
  workerId: string,
  pool: pg.Pool,
  log: Log,
  tasks: TaskList,
  cron: Work["cron"],
  known: Set<string>,
) {
  const events = new EventEmitter() as WorkerEvents & EventEmitter;
  // The queue locks jobs with the id of its pool. Set it to the worker's id before the first fetch.
  events.on("pool:create", ({ workerPool }) => {
    workerPool.id = workerId;
  });
  let isStopped = false;
  let isGivenUp = false;
  let end: NodeJS.Timeout | undefined;
  const givenUp = Promise.withResolvers<void>();
  events.on("pool:gracefulShutdown", ({ workerPool }) => {
    if (isStopped) return;
    // It has failed. Without a timeout, no other job would run here until its longest job ended.
    end = setTimeout(() => {
      isGivenUp = true;
      // The shutdown may never finish: if the completion of a job was lost, the queue may wait for it forever.
      const ended = Promise.resolve(workerPool.forcefulShutdown("the job runner has failed")).catch(() => {});
      void Promise.race([ended, sleep(forcedEndMs)]).then(() => givenUp.resolve());
    }, failedRunnerEndMs);
  });
  // A job that ends after its runner was abandoned is not reported: another worker may have it by then.
  const silenced = (task: Task): Task => {
    return async (payload, helpers) => {
      try {
        return await task(payload, helpers);
      } finally {
        if (isGivenUp) await new Promise(() => {});
      }
    };
  };
  events.on("localQueue:getJobs:complete", ({ jobs }) => {
    for (const { id } of jobs) known.add(`${id}`); // a number, as the driver is configured to parse ids
  });
  events.on("localQueue:returnJobs", ({ jobs }) => {
    for (const { id } of jobs) known.delete(`${id}`);
  });
  events.on("job:complete", ({ job }) => known.delete(`${job.id}`));
  const asked = once(events, "localQueue:getJobs:complete", { signal: AbortSignal.timeout(firstAnswerTimeoutMs) });
  asked.catch(() => {}); // awaited below, unless the runner cannot be created
  const runner = await run({
    pgPool: pool,
    schema: jobsSchemaOf(schemaOf(pool)),
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, task && silenced(task)])),
    parsedCronItems: parseCronItems([...cron]),
    events,
    logger: jobLogger(log),
    noHandleSignals: true,
    concurrency: concurrentJobs,
    pollInterval: pollIntervalMs,
    preset: {
      worker: {
        localQueue: { size: concurrentJobs },
        // In batches. Otherwise a completion that the database loses is an unhandled rejection, which ends the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        gracefulShutdownAbortTimeout: shutdownAbortTimeoutMs,
      },
    },
  });
  const stop = () => {
    isStopped = true;
    return runner.stop();
  };
  try {
    await asked;
    const forced = givenUp.promise.then(() => void runner.stop().catch(() => {})); // and its timer with it
    return { promise: Promise.race([runner.promise, forced]).finally(() => clearTimeout(end)), stop };
  } catch {
    await stop();
    throw new Error("the job queue does not answer");
  }
}

/** Holds the worker's lock on its own connection, and retakes it if lost. Until then, others consider it dead. */
async function holdLock(
  workerId: string,
  address: DatabaseAddress,
  log: Log,
): Promise<{ release: () => Promise<void> }> {
  let client: Connection | undefined;
  let released = false;
  const take = async () => {
    const onLost = (error: Error) => log.warn({ err: error }, "the worker's lock was lost");
    const candidate = await openListeningConnection(address, "lodged worker lock", onLost);
    try {
      await candidate.query("select pg_advisory_lock(hashtextextended($1, 0))", [workerId]);
      const lives = "insert into workers (id) values ($1) on conflict (id) do update set died_at = null";
      await candidate.query(lives, [workerId]);
    } catch (error) {
      await candidate.end().catch(() => {}); // the original error matters
      throw error;
    }
    candidate.once("end", () => void retake());
    client = candidate;
  };
  const retake = async () => {
    while (!released) {
      await sleep(reconnectDelayMs);
      if (released) return;
      try {
        await take();
        if (released) await client?.end();
        return;
      } catch (error) {
        log.warn({ err: error }, "the worker's lock could not be taken");
      }
    }
  };
  await take();
  return {
    // Its row stays, so that the next worker also releases claims that this one could not release.
    release: async () => {
      released = true;
      await client?.end();
    },
  };
}

/**
 * Unlocks jobs that are locked by this worker though it does not run them: the response with them was lost,
 * or a crash of PostgreSQL undid a completion. Checks twice, as a job may be about to complete.
 */
function lostJobs(workerId: string, pool: pg.Pool, known: ReadonlySet<string>) {
  let before: string[] = [];
  return async () => {
    const { rows } = await pool.query<{ id: string }>(
      "select id::text from _private_jobs where locked_by = $1 and id <> all($2::bigint[])",
      [workerId, [...known]],
    );
    const lost = rows.map(({ id }) => id);
    const still = lost.filter((id) => before.includes(id) && !known.has(id));
    before = lost;
    if (still.length === 0) return;
    await pool.query(
      "update _private_jobs set locked_by = null, locked_at = null where locked_by = $1 and id = any($2::bigint[])",
      [workerId, still],
    );
  };
}

async function releaseDead(workerId: string, pool: pg.Pool, releaseClaims: Work["releaseClaims"]) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const dead = await client.query<{ id: string }>(
      `select id from workers where id <> $1 and pg_try_advisory_xact_lock(hashtextextended(id, 0))
        and (died_at is null or died_at < now() - interval '${lateSeconds} seconds')`,
      [workerId],
    );
    const ids = dead.rows.map(({ id }) => id);
    if (ids.length > 0) {
      await releaseClaims(client, ids);
      await client.query("select force_unlock_workers($1)", [ids]);
      // Other workers do this at the same time: keep rows that one of them has just marked as dead.
      const isLate = `died_at < now() - interval '${lateSeconds} seconds'`;
      await client.query(`delete from workers where id = any($1) and ${isLate}`, [ids]);
      await client.query("update workers set died_at = now() where id = any($1) and died_at is null", [ids]);
    }
    await client.query("commit");
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}
