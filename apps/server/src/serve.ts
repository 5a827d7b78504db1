import cluster from "node:cluster";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { buildApp } from "./app.ts";
import { joinProcesses, startProcesses } from "./cluster.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config/config.ts";
import { makeDataDir } from "./platform/config/data-dir.ts";
import { readSecret } from "./platform/config/secret.ts";
import { connectionsOfProcess, type DatabaseAddress, openPool, queryBuilder } from "./platform/database/database.ts";
import { migrate } from "./platform/database/migrate.ts";
import { openDatabase } from "./platform/database/open-database.ts";
import { createAnnouncer } from "./platform/database/publish.ts";
import type { Deps } from "./platform/deps.ts";
import { OperatorError } from "./platform/errors.ts";
import { jobAnnouncer } from "./platform/jobs/jobs.ts";
import { createLog, type Log } from "./platform/observe/log.ts";
import { resolveHost } from "./platform/outbound/outbound.ts";
import { listenForStop } from "./platform/stop-signal.ts";
import { openFileStore } from "./platform/store/file-store.ts";
import { watchDisks } from "./platform/store/watch-disks.ts";
import { applyDemo } from "./provisioning/demo.ts";
import { startWorker } from "./worker.ts";

const stopTimeoutMs = 30_000;
const webAppDir = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

/**
 * Runs the server, as one process or several, until it is told to stop.
 * What it prints beside its log is for the person who started it.
 */
export async function serve(config: Config, print: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel);
  if (cluster.isWorker) return serveBesideOthers(config, log);

  const stop = listenForStop();
  stop.asked.addEventListener("abort", () => log.info({ signal: stop.asked.reason }, "stopping"));
  await makeDataDir(config.dataDir);
  const database = await openDatabase(config, "server", stop.asked).catch((error: unknown) => {
    if (!stop.asked.aborted) throw error;
  });
  try {
    if (!database || stop.asked.aborted) return;
    const start = config.processes > 1 ? startServers : startServer;
    const server = await start(config, database.address, log);
    if (server.welcome) print(server.welcome);
    log.info({ address: server.urls.base, roles: config.roles, processes: config.processes }, "ready");
    const lost = database.lost.then(() => {
      throw new OperatorError("The embedded PostgreSQL has stopped; see postgres.log in the data directory.");
    });
    await Promise.race([untilAborted(stop.asked), lost]).finally(() => server.stop(stop.insisted));
  } finally {
    await database?.close();
    log.info("stopped");
  }
}

/** A server that listens. `welcome` is what to tell at the first start, when the demo organisation was made. */
export type RunningServer = {
  urls: Deps["urls"];
  /** Where it listens, whatever its public address is. */
  address: string;
  welcome: string | undefined;
  /** Lets requests under way finish, for 30 s at most or until somebody insists. */
  stop: (insisted?: AbortSignal) => Promise<void>;
};

/** Migrates the database, listens, and makes the demo organisation where it is due: all of it in this process. */
export async function startServer(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  overrides: Partial<Deps> = {},
): Promise<RunningServer & { deps: Deps }> {
  const pool = openPool(address, log);
  try {
    await bringUpToDate(pool, log);
    const { deps, url, stop } = await listen(config, pool, address, log, overrides);
    try {
      const welcome = config.demo ? await applyDemo(deps) : undefined;
      return { deps, urls: deps.urls, address: url, welcome, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    if (!pool.ended) await pool.end();
    throw error;
  }
}

/** The same in several processes: this one prepares the database, the others serve. */
async function startServers(config: Config, address: DatabaseAddress, log: Log): Promise<RunningServer> {
  const pool = openPool(address, log, 2); // one holds the lock while the other migrates the queue's schema
  try {
    await bringUpToDate(pool, log);
    const { url, stop } = await startProcesses(config.processes, address, log);
    try {
      const urls = publicUrls(config, url);
      const deps = { db: queryBuilder(pool), clock: systemClock, urls };
      const welcome = config.demo ? await applyDemo(deps) : undefined;
      return { urls, address: url, welcome, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } finally {
    await pool.end();
  }
}

async function serveBesideOthers(config: Config, log: Log) {
  const membership = await joinProcesses();
  const pool = openPool(membership.address, log, connectionsOfProcess(config.processes));
  try {
    const { url, stop } = await listen(config, pool, membership.address, log);
    await membership.tellReady(url);
    await untilAborted(membership.stop.asked);
    await stop(membership.stop.insisted);
  } catch (error) {
    await membership.tellFailed(error);
  } finally {
    membership.leave();
  }
}

async function bringUpToDate(pool: pg.Pool, log: Log) {
  const applied = await migrate(pool);
  if (applied.length > 0) log.info({ applied }, "migrated");
}

async function listen(
  config: Config,
  pool: pg.Pool,
  address: DatabaseAddress,
  log: Log,
  overrides: Partial<Deps> = {},
) {
  const urls = publicUrls(config, "");
  const store = await openFileStore(join(config.dataDir, "artifacts"));
  const { announce, idle } = createAnnouncer(pool, log);
  const deps: Deps = {
    config,
    db: queryBuilder(pool),
    pool,
    store,
    disks: await watchDisks(config, log),
    clock: systemClock,
    log,
    announce,
    announceJobs: jobAnnouncer(pool, log),
    resolveHost,
    secret: await readSecret(config),
    webAppDir,
    urls,
    ...overrides,
  };
  const app = buildApp(deps);
  await app.listen({ port: config.port, host: config.host }).catch(async (error: NodeJS.ErrnoException) => {
    await app.close();
    throw cannotListen(error, config) ?? error;
  });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  Object.assign(urls, publicUrls(config, url));
  const worker = config.roles.includes("worker")
    ? await startWorker(deps, address).catch(async (error: unknown) => {
        await app.close();
        throw error;
      })
    : undefined;
  const stop: RunningServer["stop"] = async (insisted) => {
    const cut = () => app.server.closeAllConnections();
    const deadline = setTimeout(cut, stopTimeoutMs);
    // A client keeps its connection for the next request, which is not to come.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    insisted?.addEventListener("abort", cut);
    await Promise.all([app.close(), worker?.stop(insisted)]);
    clearTimeout(deadline);
    clearInterval(sweep);
    insisted?.removeEventListener("abort", cut);
    await idle();
    deps.disks.stop();
    await pool.end();
  };
  return { deps, url, stop };
}

const publicUrls = (config: Config, own: string) => ({ base: config.baseUrl ?? own, ingest: config.ingestUrl ?? own });

function cannotListen({ code }: NodeJS.ErrnoException, { host, port }: Config): OperatorError | undefined {
  if (code === "EADDRINUSE") return new OperatorError(`Port ${port} of ${host} is taken. Set PORT to another one.`);
  if (code === "EACCES")
    return new OperatorError(`Port ${port} of ${host} is not allowed. Set PORT to one above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new OperatorError(`${host} is no address of this machine. Set HOST to one that is.`);
  }
  return undefined;
}

async function untilAborted(signal: AbortSignal) {
  if (!signal.aborted) await once(signal, "abort");
}
