import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { buildApp } from "./app.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { type DatabaseAddress, openPool, queryBuilder } from "./platform/database.ts";
import type { Deps } from "./platform/deps.ts";
import { OperatorError } from "./platform/errors.ts";
import { createLog, type Log } from "./platform/log.ts";
import { migrate } from "./platform/migrate.ts";
import { openDatabase } from "./platform/open-database.ts";
import { createAnnouncer } from "./platform/publish.ts";
import { readSecret } from "./platform/secret.ts";
import { applyDemo } from "./provisioning/demo.ts";

const stopTimeoutMs = 30_000;
const webAppDir = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

/** Runs the server until SIGINT or SIGTERM. What it prints beside its log is for the person who started it. */
export async function serve(config: Config, print: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel);
  const stopAsked = untilSignal(log);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const database = await openDatabase(config, "server");
  try {
    const server = await startServer(config, database.address, log);
    if (server.welcome) print(server.welcome);
    log.info({ address: server.deps.urls.base, roles: config.roles }, "ready");
    const lost = new Promise<never>((_, reject) => {
      database.onLost(() =>
        reject(new OperatorError("The embedded PostgreSQL has stopped; see postgres.log in the data directory.")),
      );
    });
    await Promise.race([stopAsked, lost]).finally(server.stop);
  } finally {
    await database.close();
  }
  log.info("stopped");
}

/** A server that listens. `welcome` is what to tell at the first start, when the demo organisation was made. */
export type RunningServer = {
  deps: Deps;
  /** Where it listens, whatever its public address is. */
  address: string;
  welcome: string | undefined;
  stop: () => Promise<void>;
};

/** Migrates the database, makes the demo organisation where it is due, and listens. */
export async function startServer(
  config: Config,
  database: DatabaseAddress,
  log: Log,
  overrides: Partial<Deps> = {},
): Promise<RunningServer> {
  const pool = openPool(database, log);
  try {
    const applied = await migrate(pool);
    if (applied.length > 0) log.info({ applied }, "migrated");
    const urls = { base: config.baseUrl ?? "", ingest: config.ingestUrl ?? "" };
    const { announce, idle } = createAnnouncer(pool, log);
    const deps: Deps = {
      config,
      db: queryBuilder(pool),
      pool,
      clock: systemClock,
      log,
      announce,
      secret: await readSecret(config),
      webAppDir,
      urls,
      ...overrides,
    };
    const app = buildApp(deps);
    await app.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EADDRINUSE"
        ? new OperatorError(`Port ${config.port} of ${config.host} is taken. Set PORT to another one.`)
        : error;
    });
    const { port } = app.server.address() as AddressInfo;
    const own = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
    urls.base ||= own;
    urls.ingest ||= own;
    const welcome = config.demo ? await applyDemo(deps) : undefined;
    return {
      deps,
      address: own,
      welcome,
      stop: async () => {
        const deadline = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs);
        await app.close();
        clearTimeout(deadline);
        await idle();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        log.info({ signal }, "stopping");
        resolve();
      });
    }
  });
}
