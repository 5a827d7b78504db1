import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { closeMonths } from "../apps/server/src/people/installs/close-months.ts";
import { countInstall } from "../apps/server/src/people/installs/count-install.ts";
import { decideMonth } from "../apps/server/src/people/installs/decide-month.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import type { Deps } from "../apps/server/src/platform/deps.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { printTable, writeResults } from "./results.ts";
import { percentile, rounded } from "./statistics.ts";

// What it costs to count an install, as a month fills up to ten million: one seen before, a new one, and a new one in a
// month that decides on a suspension, where all of an organisation's take turns on one row.
const steps = [0, 1_000_000, 10_000_000];
const connections = 16;
const seconds = 4;
const known = 20_000;
const batch = 250_000;

type App = { organisationId: string; id: string; keyId: string };

const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const pool = openPool(postgres.address, createLog("warn"));
try {
  await migrate(pool);
  let now = new Date();
  const deps = { ...makeBasics(pool), clock: { now: () => now } };
  const calm = await makeApp("calm");
  const deciding = await makeApp("deciding");
  // Over in the two months before: from now on every new install could be the one that crosses the line.
  await pool.query(
    `insert into allowance_months (organisation_id, month, install_limit, decides, installs)
    select $1, (date_trunc('month', $2::timestamptz at time zone 'UTC') - make_interval(months => ago))::date, 0, false, 1
    from generate_series(1, 2) ago`,
    [deciding.organisationId, now],
  );
  const ids = Array.from({ length: known }, () => randomUUID());
  await Promise.all(
    Array.from({ length: connections }, async (_, lane) => {
      for (let index = lane; index < known; index += connections) await countInstall(deps, calm, ids[index] ?? "");
    }),
  );

  const results = [];
  let filled = 0;
  for (const installs of steps) {
    for (; filled < installs; filled += batch) {
      await pool.query(
        `insert into active_installs (organisation_id, month, slot, install)
        select organisation_id, month, slot, gen_random_uuid()
        from (select organisation_id, month, slot from active_installs where organisation_id = $2 limit 1) place,
          generate_series(1, $1::integer)`,
        [batch, calm.organisationId],
      );
      await pool.query("update install_counts set installs = installs + $1 where shard = 0", [batch]);
      process.stderr.write(".");
    }
    await pool.query("vacuum analyze active_installs");
    await pool.query("checkpoint");
    const seen = await driveSeen(calm, ids);
    const fresh = await drive(deps, calm, randomUUID);
    const turns = await drive(deps, deciding, randomUUID);
    const decided = await timed(() => decideMonth(deps.db, now));
    const counted = await timed(() => pool.query("select count(*) from active_installs"));
    results.push({
      installs,
      seen,
      new: fresh,
      newDeciding: turns,
      decideMs: decided,
      countRowsMs: counted,
      ...(await sizes()),
    });
  }
  process.stderr.write("\n");
  now = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));
  const forgetMs = await timed(() => closeMonths(deps));

  printTable(
    [
      "installs this month",
      "seen/s",
      "p99 ms",
      "WAL B",
      "new/s",
      "p99 ms",
      "WAL B",
      "new, deciding/s",
      "p99 ms",
      "table MB",
      "index MB",
      "decide ms",
      "count(*) ms",
    ],
    results.map((step) => [
      step.installs.toLocaleString("en"),
      ...[step.seen, step.new].flatMap((rate) => [String(rate.perSecond), String(rate.p99Ms), String(rate.walBytes)]),
      String(step.newDeciding.perSecond),
      String(step.newDeciding.p99Ms),
      String(step.tableMegabytes),
      String(step.indexMegabytes),
      String(step.decideMs),
      String(step.countRowsMs),
    ]),
  );
  console.log(`\nThe month's installs forgotten in ${forgetMs} ms.`);
  await writeResults("installs", { load: { connections, seconds, known }, steps: results, forgetMs });

  async function makeApp(slug: string) {
    const { organisation, apps } = await applyWorld(deps, {
      organisation: { name: slug, slug, monthlyInstallLimit: 2_000_000_000 },
      apps: [{ name: "App", slug: "app", keys: ["default"] }],
    });
    const [app] = apps;
    return { organisationId: organisation.id, id: app?.id ?? "", keyId: app?.keys[0]?.id ?? "" };
  }

  /** Each of them once, as a process meets them that has not counted them itself. */
  async function driveSeen(app: App, installIds: string[]) {
    const fresh = openPool(postgres.address, createLog("warn"));
    const left = [...installIds];
    await fresh.query("select");
    try {
      return await drive({ ...deps, pool: fresh }, app, () => left.pop());
    } finally {
      await fresh.end();
    }
  }

  async function drive(by: Pick<Deps, "pool" | "clock">, app: App, nextId: () => string | undefined) {
    const latencies: number[] = [];
    const before = await writtenBytes();
    const started = performance.now();
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() - started < seconds * 1000) {
          const installId = nextId();
          if (installId === undefined) return;
          const sent = performance.now();
          await countInstall(by, app, installId);
          latencies.push(performance.now() - sent);
        }
      }),
    );
    const elapsed = (performance.now() - started) / 1000;
    return {
      perSecond: Math.round(latencies.length / elapsed),
      p99Ms: rounded(percentile(latencies, 0.99), 1),
      walBytes: Math.round(((await writtenBytes()) - before) / latencies.length),
    };
  }
} finally {
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Bytes of the write-ahead log so far. */
async function writtenBytes(): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes",
  );
  return rows[0]?.bytes ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return rounded(performance.now() - started, 1);
}

async function sizes() {
  const { rows } = await pool.query<{ table_bytes: number; index_bytes: number }>(
    `select sum(pg_relation_size(relid))::float8 as table_bytes, sum(pg_indexes_size(relid))::float8 as index_bytes
    from pg_partition_tree('active_installs') where isleaf`,
  );
  return {
    tableMegabytes: Math.round((rows[0]?.table_bytes ?? 0) / 1e6),
    indexMegabytes: Math.round((rows[0]?.index_bytes ?? 0) / 1e6),
  };
}
