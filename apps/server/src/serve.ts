import cluster from "node:cluster";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buildApp } from "./app.ts";
import { closeApp } from "./close-app.ts";
import { joinProcesses, startProcesses } from "./cluster.ts";
import { adoptEvents } from "./inbox/reports/adopt-events.ts";
import { home } from "./operate/cells/directory.ts";
import { type Cells, keepCells, type StartCell } from "./operate/cells/keep-cells.ts";
import { requireCell } from "./operate/cells/require-cell.ts";
import { applyDemo } from "./operate/provisioning/demo.ts";
import { sealStored } from "./operate/provisioning/seal-stored.ts";
import type { Config } from "./platform/config/config.ts";
import { makeDataDir } from "./platform/config/data-dir.ts";
import { readSealingKeys } from "./platform/config/secret.ts";
import { connectionsOf, sessionName, statementTimeoutMs } from "./platform/database/budget.ts";
import { type DatabaseAddress, openPool, queryBuilder } from "./platform/database/database.ts";
import { openDatabase } from "./platform/database/open-database.ts";
import { openReplicas } from "./platform/database/replicas.ts";
import type { Deps, OtherCells } from "./platform/deps.ts";
import { OperatorError } from "./platform/errors.ts";
import { makeBasics, makeDeps, publicUrls } from "./platform/make-deps.ts";
import { migrate } from "./platform/migrate.ts";
import { createLog, type Log } from "./platform/observe/log.ts";
import { endAtLast, listenForStop } from "./platform/stop-signal.ts";
import { watchDisks } from "./platform/store/watch-disks.ts";
import { cannotListen, checkPort, urlOf } from "./server-port.ts";
import { startWorker, type Worker } from "./worker.ts";

/**
 * Runs the server, as one process or several, until it is stopped. Its output besides the log is for the person who started
 * it.
 */
export async function serve(config: Config, print: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel);
  if (cluster.isWorker) return serveBesideOthers(config, log);

  const { asked, insisted } = listenForStop();
  asked.addEventListener("abort", () => log.info({ signal: asked.reason }, "stopping"));
  endAtLast(asked, log, config.drainMs);
  await makeDataDir(config.dataDir);
  const database = await openDatabase(config, "server", asked).catch((error: unknown) => {
    if (!asked.aborted) throw error;
  });
  await using started = new AsyncDisposableStack();
  started.defer(() => log.info("stopped"));
  if (database) started.defer(database.close);
  if (!database || asked.aborted) return;
  const { address } = database;
  const drain = new AbortController();
  const server = started.use(
    await (config.processes > 1
      ? startServers(config, address, log, { insisted, draining: drain.signal }, print)
      : startServer(config, address, log, insisted, { draining: drain.signal }, print)),
  );
  if (asked.aborted) return;
  log.info({ address: server.urls.base, roles: config.roles, processes: config.processes }, "ready");
  const lost = database.lost.then(() => {
    throw new OperatorError("The embedded PostgreSQL has stopped; see postgres.log in the data directory.");
  });
  await Promise.race([untilAborted(asked), lost]);
  // A person who presses Ctrl-C wants it to end now; behind a service manager, proxies must notice first.
  if (asked.reason !== "SIGTERM" || config.drainMs === 0) return;
  log.info({ seconds: config.drainMs / 1000 }, "draining");
  drain.abort();
  await Promise.race([sleep(config.drainMs, undefined, { signal: insisted }).catch(() => {}), lost]);
}

/** A listening server. Disposing of it lets requests in progress finish, for at most 30 s or until a second signal. */
export type RunningServer = AsyncDisposable & {
  urls: Deps["urls"];
  /** Where it listens, whatever its public address is. */
  address: string;
};

/** Printed at the first start: the way into the demo organisation. */
type Print = (text: string) => void;

/**
 * Migrates the database, creates the demo organisation if it is due, and listens, all in this process. Once the server
 * is ready, how to use the demo organisation is printed.
 */
export async function startServer(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  insisted?: AbortSignal,
  overrides: Partial<Deps> = {},
  print: Print = () => {},
): Promise<RunningServer & { deps: Deps }> {
  await using started = new AsyncDisposableStack();
  await bringUpToDate(config, address, log);
  const welcome = await prepareDemo(config, address, log, print);
  const { deps, url } = started.use(await listen(config, address, log, insisted, overrides));
  welcome(deps.urls);
  return running(started, { deps, urls: deps.urls, address: url });
}

/** The same in several processes: this one prepares the database, the others serve. */
async function startServers(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  { insisted, draining }: { insisted: AbortSignal; draining: AbortSignal },
  print: Print,
): Promise<RunningServer> {
  await using started = new AsyncDisposableStack();
  await bringUpToDate(config, address, log);
  const welcome = await prepareDemo(config, address, log, print);
  const { url, stop } = await startProcesses(config.processes, address, log, draining);
  started.defer(() => stop(insisted));
  const urls = publicUrls(config, url);
  welcome(urls);
  return running(started, { urls, address: url });
}

/**
 * Creates the demo organisation if it is due, and prints how to use it: immediately or, if the port is not known yet,
 * when the returned function is called with the addresses.
 */
async function prepareDemo(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  print: Print,
): Promise<(urls: Deps["urls"]) => void> {
  if (!config.demo) return () => {};
  await checkPort(config); // otherwise a start that fails would already have shown the secrets, which are shown once
  await using pool = openPool(address, log, 1);
  const welcome = await applyDemo(makeBasics(pool));
  if (!welcome) return () => {};
  if (config.port === 0) return (urls) => print(welcome(urls));
  print(welcome(publicUrls(config, urlOf(config, config.port))));
  return () => {};
}

async function serveBesideOthers(config: Config, log: Log) {
  const { address, stop, draining, tellReady, tellFailed, leave } = await joinProcesses();
  try {
    await using started = new AsyncDisposableStack();
    const { url } = started.use(await listen(config, address, log, stop.insisted, { draining }));
    await tellReady(url);
    await untilAborted(stop.asked);
  } catch (error) {
    await tellFailed(error);
  } finally {
    leave();
  }
}

/** Keeps started parts running after the function that started them returns, until its result is disposed of. */
function running<T extends object>(started: AsyncDisposableStack, server: T): T & AsyncDisposable {
  const all = started.move();
  return { ...server, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/**
 * Throws an `OperatorError` if the database is newer than this release, is another cell than `name`, or has another
 * LODGE_SECRET.
 */
async function bringUpToDate(config: Config, address: DatabaseAddress, log: Log, name = home) {
  // One connection holds the lock while the other migrates the queue's schema. Migrations have no timeout.
  await using pool = openPool(address, log, 2, { name: "lodged migrations" });
  const applied = await migrate(pool);
  if (applied.length > 0) log.info({ applied }, "migrated");
  await requireCell(pool, name);
  const sealed = await sealStored(pool, await readSealingKeys(config));
  if (sealed > 0) log.info({ sealed }, "encrypted stored secrets with LODGE_SECRET");
  const adopted = await adoptEvents(pool);
  if (adopted > 0) log.info({ adopted }, "events of another database are polled before those of this one");
}

async function listen(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  insisted?: AbortSignal,
  overrides: Partial<Deps> = {},
) {
  await using started = new AsyncDisposableStack();
  const disks = await watchDisks(config, log);
  started.defer(disks.stop);
  let cells: Cells | undefined;
  const others: OtherCells = {
    knownKeys: async (keys) => cells?.others.knownKeys(keys) ?? [],
    isSweepHeld: async () => cells?.others.isSweepHeld() ?? false,
    pools: () => cells?.others.pools() ?? new Map(),
  };
  const inFront = (own: RequestListener): RequestListener => {
    answerOfHome = own;
    return (request, response) => (cells ? cells.answer(request, response) : own(request, response));
  };
  let answerOfHome: RequestListener = () => {};
  const home = started.use(
    await build(
      config,
      address,
      log,
      { disks, cells: others, ...overrides },
      { inFront, replicaUrls: config.replicaUrls },
    ),
  );
  const { deps, app } = home;
  started.defer(() => deps.rates?.close());
  started.defer(() => deps.tracer?.close());

  const startCell = cellStarter(config, deps, disks, log);
  cells = started.use(await keepCells(deps, address, answerOfHome, startCell));

  let worker: Worker | undefined;
  started.defer(async () => {
    await Promise.all([closeApp(app, insisted), worker?.stop(insisted), cells.close(insisted)]);
  });
  await app.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, config) ?? error;
  });
  const { port } = app.server.address() as AddressInfo;
  const url = urlOf(config, port);
  Object.assign(deps.urls, publicUrls(config, url));
  worker = config.roles.includes("worker") ? await startWorker(deps, address) : undefined;
  return running(started, { deps, url });
}

/** Starts what serves another cell, with those dependencies of the home cell that need no database. */
const cellStarter =
  (config: Config, deps: Deps, disks: Deps["disks"], log: Log): StartCell =>
  async ({ name, replicaUrls, ...its }) => {
    await using ofCell = new AsyncDisposableStack();
    const logOfCell = log.child({ cell: name });
    await bringUpToDate(config, its, logOfCell, name);
    const { store, rates, tracer, resolveHost, secret, sealing, webAppDir, urls, clock, draining } = deps;
    const shared = {
      disks,
      store,
      rates,
      tracer,
      resolveHost,
      secret,
      sealing,
      webAppDir,
      urls,
      clock,
      draining,
      cells: sweepsNothing,
      cell: name,
    };
    const cell = ofCell.use(await build(config, its, logOfCell, shared, { replicaUrls }));
    ofCell.defer(() => cell.app.close());
    await cell.app.ready();
    const answer: RequestListener = (request, response) => cell.app.routing(request, response);
    const worker = config.roles.includes("worker") ? await startWorker(cell.deps, its) : undefined;
    const close = async (now?: AbortSignal) => {
      await Promise.all([cell.app.close(), worker?.stop(now)]);
    };
    return running(ofCell, { answer, deps: cell.deps, close });
  };

/** The other cells, for modules of a cell without the directory: it does not know which stored files they refer to. */
const sweepsNothing: OtherCells = {
  knownKeys: async (keys) => keys,
  isSweepHeld: async () => false,
  pools: () => new Map(),
};

/** An app on a database, with separate pools for each kind of work; not yet listening. */
async function build(
  config: Config,
  address: DatabaseAddress,
  log: Log,
  overrides: Partial<Deps> & Pick<Deps, "disks">,
  more: { inFront?: (own: RequestListener) => RequestListener; replicaUrls?: readonly string[] | undefined },
) {
  await using started = new AsyncDisposableStack();
  const connections = connectionsOf(config.processes);
  const open = (room: "doors" | "dashboard") => {
    const session = { name: sessionName(room, overrides.cell), statementTimeoutMs: statementTimeoutMs[room] };
    return started.use(openPool(address, log, connections[room], session));
  };
  const pool = open("doors");
  const primary = open("dashboard");
  const { inFront, replicaUrls = [] } = more;
  const standbys = replicaUrls.map((connectionString) => ({ ...address, connectionString }));
  const replicas = standbys.length > 0 ? openReplicas(standbys, primary, log, connections.dashboard) : undefined;
  if (replicas) started.use(replicas);
  const dashboardPool = replicas?.pool ?? primary;
  const dashboard = { pool: dashboardPool, db: queryBuilder(dashboardPool) };
  const { deps, announced } = await makeDeps(config, pool, log, { dashboard, replicas, ...overrides });
  started.defer(announced);
  started.defer(deps.listening.close);
  return running(started, { deps, app: buildApp(deps, undefined, inFront) });
}

async function untilAborted(signal: AbortSignal) {
  if (!signal.aborted) await once(signal, "abort");
}
