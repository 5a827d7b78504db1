import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { cpuBetween, cpuSeconds, databaseCpu } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { median, rounded } from "./statistics.ts";

// Measures how fast one and two workers process a backlog of reports into inboxes, and their CPU. The reports are
// overdue crashes with stacks of 20 frames in 300 problems. They are from eight apps with equal shares, and from eight
// apps of which one has half, before all others.
const apps = 8;
const problems = 300;
const frames = 20;
const reports = 24_000;
const warmUpReports = 4_000;
const rounds = 3;
const waitedMinutes = 10;
/** SQL for the number of the app of event `n`. */
const shapes = {
  "as much of each": `n % ${apps}`,
  "half of one, first": `case when n <= ${warmUpReports + reports / 2} then 0 else 1 + n % ${apps - 1} end`,
};

type Shape = keyof typeof shapes;

const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const pool = openPool(postgres.address, createLog("warn"));
const workers: ChildServer[] = [];
try {
  await migrate(pool);
  const applied = await applyWorld(makeBasics(pool), {
    organisation: { name: "Bench", slug: "bench" },
    apps: Array.from({ length: apps }, (_, app) => ({ name: `App ${app}`, slug: `app-${app}`, keys: ["default"] })),
  });
  const appIds = applied.apps.map(({ id }) => id);
  const measured = Object.keys(shapes).flatMap((shape) =>
    [1, 2].map((count) => ({ shape: shape as Shape, count, list: [] as Awaited<ReturnType<typeof drain>>[] })),
  );
  await drain(appIds, "as much of each", 1); // this creates the problems
  for (let round = 0; round < rounds; round++) {
    for (const { shape, count, list } of measured) list.push(await drain(appIds, shape, count));
  }
  const results = measured.map(({ shape, count, list }) => ({
    shape,
    workers: count,
    reportsPerSecond: rounded(median(list.map(({ perSecond }) => perSecond)), 0),
    workersCpuMicros: rounded(median(list.map(({ workersMicros }) => workersMicros)), 0),
    databaseCpuMicros: rounded(median(list.map(({ databaseMicros }) => databaseMicros)), 0),
    othersReadAfter: rounded(median(list.map(({ othersReadAfter }) => othersReadAfter)), 2),
  }));
  printTable(
    [
      "of eight apps",
      "workers",
      "reports/s",
      "workers' CPU for each, µs",
      "PostgreSQL's, µs",
      "all but the first app are read after",
    ],
    results.map((row) => Object.values(row).map(String)),
  );
  await writeResults("reading", { load: { apps, problems, frames, reports, rounds }, results });
} finally {
  await Promise.all(workers.map((worker) => worker.stop()));
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Lets workers process a backlog, and measures from the end of the first batch. */
async function drain(appIds: string[], shape: Shape, count: number) {
  await accept(appIds, shape);
  for (let worker = 0; worker < count; worker++) {
    workers.push(
      await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
        DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
        LODGE_DATA_DIR: join(folder, "service"),
        LODGE_SECRET: randomUUID(),
        LODGE_ROLES: "worker",
        LODGE_LOG_LEVEL: "silent",
      }),
    );
  }
  await queue(warmUpReports);
  while ((await unread()) > 0) await sleep(20);
  await queue(reports);
  while ((await unread()) === reports) await sleep(1);
  const before = await used();
  let othersReadAt: number | undefined;
  for (let left = await unread(); left > 0; left = await unread()) {
    if (othersReadAt === undefined && (await unread(appIds.slice(1))) === 0) othersReadAt = performance.now() / 1000;
    await sleep(20);
  }
  const after = await used();
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  const read = before.unread;
  return {
    othersReadAfter: ((othersReadAt ?? after.at) - before.at) / (after.at - before.at),
    perSecond: read / (after.at - before.at),
    workersMicros: ((after.workers - before.workers) * 1e6) / read,
    databaseMicros: (cpuBetween(before.database, after.database) * 1e6) / read,
  };
}

/** Inserts accepted events that are not processed yet. */
async function accept(appIds: string[], shape: Shape) {
  const envelopes = Array.from({ length: problems }, (_, problem) => {
    const at = Array.from(
      { length: frames },
      (_, frame) => `    at f${problem}_${frame} (app:///src/m${frame}.js:${frame}:7)`,
    );
    const error = {
      type: "TypeError",
      message: "x is undefined",
      stack: ["TypeError: x is undefined", ...at].join("\n"),
    };
    return JSON.stringify({ kind: "crash", error, app: { version: "1.2.3" }, tags: { plan: "pro" } });
  });
  await pool.query(
    `insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
    select ($1::uuid[])[1 + ${shapes[shape]}], uuidv7(interval '-${waitedMinutes} minutes'), gen_random_uuid()::text,
      gen_random_uuid(), convert_to(($2::text[])[1 + n / ${apps} % ${problems}], 'UTF8'),
      now() - interval '${waitedMinutes} minutes'
    from generate_series(1, ${reports + warmUpReports}) n`,
    [appIds, envelopes],
  );
}

/** Queues unprocessed events in the order in which they were accepted. */
async function queue(count: number) {
  await pool.query(
    `insert into unread_events (app_id, event_id)
    select app_id, id from events
    where not exists (select from event_summaries e where e.app_id = events.app_id and e.event_id = events.id)
    order by id limit $1`,
    [count],
  );
}

async function unread(appIds?: string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer as count from unread_events where $1::uuid[] is null or app_id = any($1)",
    [appIds],
  );
  return rows[0]?.count ?? 0;
}

async function used() {
  const seconds = await Promise.all(workers.map(({ pid }) => cpuSeconds(pid)));
  return {
    unread: await unread(),
    at: performance.now() / 1000,
    workers: seconds.reduce((sum, each) => sum + each, 0),
    database: await databaseCpu(pool, postgres.address.database),
  };
}
