import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thinEvents } from "../apps/server/src/both/retention/thin-events.ts";
import { cutPartitions } from "../apps/server/src/inbox/reports/cut-partitions.ts";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openPool, queryBuilder } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { openFileStore } from "../apps/server/src/platform/store/file-store.ts";
import { idAt, timeOf } from "../apps/server/src/platform/uuid-time.ts";
import { fillReports } from "./fill-reports.ts";
import { cpuBetween, databaseCpu } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { rounded } from "./statistics.ts";

// Measures the deletion of expired events: those of one day row by row, then those of the next day with their
// partition, both while a fifth of them stay, and then of a day of which nearly none stay. Each event has a settled
// delivery.
const [perDay = 100_000] = process.argv.slice(3).map(Number);
const dayMs = 86_400_000;
const problems = 100;
const days = 6;

const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
{
  await using several = openPool(postgres.address, createLog("warn"));
  await migrate(several);
}
const pool = openPool(postgres.address, createLog("warn"), 1); // as those have who do it
try {
  const { organisation, apps } = await applyWorld(makeBasics(pool), {
    organisation: { name: "Bench", slug: "bench" },
    apps: [
      {
        name: "App",
        slug: "app",
        keys: ["default"],
        subscribers: [{ kind: "webhook", url: "https://a.example.test" }],
      },
    ],
  });
  const appId = apps[0]?.id ?? "";
  const db = queryBuilder(pool);
  let now = Date.now() - 30 * dayMs;
  const clock = { now: () => new Date(now) };
  const config = readConfig({ LODGE_LARGE_PROBLEM_RETENTION_DAYS: "1", LODGE_SECRET: appId, PORT: "0" });
  await cutPartitions({ db, clock, config }, 0);
  now = Date.now();
  await cutPartitions({ db, clock, config });
  const size = { events: perDay * days, problems, everySeconds: 86_400 / perDay };
  await fillReports(pool, { organisationId: organisation.id, appId, keyId: appId }, size);
  await pool.query(
    `insert into deliveries (app_id, event_id, subscriber_id, state, settled_at)
    select events.app_id, events.id, subscribers.id, 'delivered', now() from events join subscribers using (app_id)`,
  );
  const full = await db
    .selectFrom("event_partitions")
    .select(["from_id", "until_id"])
    .where("until_id", ">", idAt(Date.now() - (days - 1) * dayMs))
    .orderBy("until_id")
    .limit(3)
    .execute();
  // Reports without a problem are kept for a year, so the last of these days has none.
  await pool.query(
    `update event_summaries set search_text = null, hash = (select hash from problem_hashes order by event_count desc limit 1)
    where hash is null and event_id >= $1 and event_id < $2`,
    [full[2]?.from_id, full[2]?.until_id],
  );
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");

  const store = await openFileStore(folder);
  const thin = () => thinEvents({ db, clock, config, log: createLog("silent"), store });
  const results = [];
  for (const [index, how] of ["row by row", "with its day", "with its day, nearly all of it"].entries()) {
    const until = full[index]?.until_id ?? "";
    now = timeOf(until) + dayMs + 1_200_000;
    if (index === 0) {
      await db.updateTable("event_partitions").set({ goes_whole: false }).where("until_id", "<=", until).execute();
    }
    results.push({ how, ...(await measure(thin)) });
  }
  printTable(
    ["", "events", "events/s", "worker's CPU for each, µs", "PostgreSQL's, µs", "log, bytes"],
    results.map((row) => Object.values(row).map(String)),
  );
  const [byRow, ...byDay] = results.map(({ databaseMicros }) => databaseMicros);
  console.log(
    `PostgreSQL's CPU for an event, row by row to with its day: ${byDay.map((each) => rounded((byRow ?? 0) / each, 1))}`,
  );
  await writeResults("retention", { load: { perDay, problems, days }, results });
} finally {
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The cost of a retention run per deleted event. */
async function measure(thin: () => Promise<Record<string, number>>) {
  const before = await used();
  const thinned = Object.values(await thin()).reduce((sum, count) => sum + count, 0);
  const after = await used();
  return {
    events: thinned,
    perSecond: rounded((thinned * 1000) / (after.at - before.at), 0),
    workerMicros: rounded((after.worker - before.worker) / thinned, 1),
    databaseMicros: rounded((cpuBetween(before.database, after.database) * 1e6) / thinned, 1),
    logBytes: rounded((after.log - before.log) / thinned, 0),
  };
}

async function used() {
  const { rows } = await pool.query<{ log: number }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as log");
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    worker: user + system,
    database: await databaseCpu(pool, postgres.address.database),
    log: Number(rows[0]?.log ?? 0),
  };
}
