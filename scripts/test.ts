import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startBrowserServer } from "../apps/dashboard/test/browser.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { locatePostgres, startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { lodgedEnvironment } from "../apps/server/src/testing/lodged-main.ts";
import { seedEnvironment } from "../apps/server/src/testing/random.ts";
import { testEnvironment } from "../apps/server/src/testing/test-postgres.ts";
import { bundleServer } from "./bundle-server.ts";
import { findTestFiles } from "./test-files.ts";
import { describeTimes, readTimes } from "./test-times.ts";

// Runs tests on a shared PostgreSQL and browser: the files or modules in the arguments, or all of the fast tier, or
// with --slow of the slow tier. --times prints the time of each file and test, --lanes sets the number of concurrent
// files.
const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options, positionals: named } = parseArgs({
  options: {
    slow: { type: "boolean", default: false },
    times: { type: "boolean", default: false },
    // Most tests wait for PostgreSQL or a timer, so there can be more lanes than cores.
    lanes: { type: "string", default: "6" },
  },
  allowPositionals: true,
});

const lanes = Number(options.lanes);
const lane = join(root, "scripts/test-lane.ts");
const memoryBytesMin = 4_000_000_000;

/** Settings without durability, since the data is temporary. The crash tests start their own PostgreSQL. */
const throwaway = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "64MB",
  shared_buffers: "32MB",
  autovacuum: "off",
};

await using stack = new AsyncDisposableStack();
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interrupted.abort());

const files = findFiles();
const folder = await mkdtemp(join(await roomInMemory(), "lodge-tests-"));
stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
stack.defer(killWhatIsLeft);
await chmod(folder, 0o755); // some tests run as another user
process.env.TMPDIR = folder;
const data = join(folder, "data");
const cluster = join(folder, "cluster");
// Sequentially: bundling on a busy machine would block this process, which then misses a new connection.
const lodged = await bundleServer(join(root, "node_modules/.cache/lodge-tests-server"));
await makeCluster();
Object.assign(process.env, lodgedEnvironment(lodged));
const postgres = await startEmbeddedPostgres(data, undefined, throwaway);
stack.defer(postgres.stop);
const { host, user, database } = postgres.address;
Object.assign(process.env, testEnvironment({ host, user, template: database, cluster }));
if (files.some((file) => /^(apps[/]dashboard|packages[/]sdk)[/]/.test(file))) stack.use(await startBrowserServer());
// All test files and their processes load the same few hundred modules.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/lodge-tests");
const seed = seedEnvironment();
Object.assign(process.env, seed);
for (const [name, value] of Object.entries(seed)) console.log(`Set ${name}=${value} to repeat this random input.`);

// The fast tier skips slow tests in otherwise fast files. A file that is named runs completely.
process.env.TEST_TIER = named.length === 0 && !options.slow ? "fast" : "slow";
process.env.TEST_LANES = JSON.stringify({
  folder,
  root,
  files,
  times: options.times,
});
const tests = run({
  files: Array.from({ length: Math.min(lanes, files.length) }, () => lane),
  cwd: root,
  concurrency: lanes,
  forceExit: true, // a test that hung has failed; what it waits for may never come
  signal: interrupted.signal,
});
tests.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
const report = tests.compose(spec);
report.pipe(process.stdout, { end: false });
// An interrupted run may not finish its report.
const abandoned = once(interrupted.signal, "abort").then(() => {
  process.exitCode = 1;
});
await Promise.race([finished(report), abandoned]);
const times = options.times ? await readTimes(folder) : undefined;
await stack.disposeAsync();
if (times) console.log(describeTimes(times));
// Pipes of a hung test may still be open. Does not wait for them.
process.exit();

/** Kills the processes of hung tests, which have the tests' folder in their environment. */
async function killWhatIsLeft() {
  for (const entry of await readdir("/proc").catch(() => [])) {
    const pid = Number(entry);
    if (!pid || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (environment.split("\0").includes(`TMPDIR=${folder}`)) process.kill(pid, "SIGKILL");
  }
}

/** Creates and migrates the cluster that all tests share, and keeps a copy for tests that start their own. */
async function makeCluster() {
  const { address, stop } = await startEmbeddedPostgres(data, undefined, throwaway);
  const pool = openPool(address, createLog("silent"));
  await migrate(pool);
  await pool.end();
  await stop();
  await promisify(execFile)("cp", ["-a", locatePostgres(data).cluster, cluster]);
}

/**
 * The folder of the tests' files, in memory if there is enough. Databases are thousands of short-lived small files, and
 * ext4 creates new ones ever more slowly after many deletions.
 */
async function roomInMemory(): Promise<string> {
  const memory = "/dev/shm";
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= memoryBytesMin ? memory : tmpdir();
}

function findFiles(): string[] {
  try {
    return findTestFiles(named, root, options.slow ? "slow" : "fast");
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
