import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/database/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { testEnvironment } from "../apps/server/src/testing/test-postgres.ts";
import { findTestFiles } from "./test-files.ts";

// Runs the tests named on the command line, by file or by room, or all, on a PostgreSQL that lives as long as they do.
const root = fileURLToPath(new URL("..", import.meta.url));
const files = namedFiles(process.argv.slice(2));
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interrupted.abort());
const folder = await mkdtemp(join(tmpdir(), "lodge-tests-"));
const postgres = await startEmbeddedPostgres(folder);
try {
  const pool = openPool(postgres.address, createLog("silent"));
  await migrate(pool);
  await pool.end();
  const { host, user, database } = postgres.address;
  const run = spawn(process.execPath, ["--test", "--test-concurrency=4", "--test-timeout=180000", ...files], {
    cwd: root,
    stdio: "inherit",
    signal: interrupted.signal,
    env: { ...process.env, ...testEnvironment({ host, user, template: database }) },
  });
  const [code] = (await once(run, "exit").catch(() => [null])) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function namedFiles(words: string[]): string[] {
  try {
    return findTestFiles(words, root);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
