import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { makeDataDir } from "../config/data-dir.ts";
import { OperatorError } from "../errors.ts";
import { findBinaries, linkBinaries } from "./postgres-binaries.ts";
import { choosePostgresUser, type PostgresUser } from "./postgres-user.ts";
import { findPostmaster, isAlive, removeStaleLocks, stopPostgres } from "./postmaster.ts";

type LocalAddress = { host: string; port: number; user: string; database: string };

/** A running embedded PostgreSQL. */
export type EmbeddedPostgres = {
  address: LocalAddress;
  /** Closes all connections and stops PostgreSQL; resolves when it has ended. */
  stop: () => Promise<void>;
  /** Waits until PostgreSQL serves again after a crash of one of its processes; false if it has ended. */
  recovers: () => Promise<boolean>;
};

const startTimeoutMs = 60_000;
const startAttemptsMax = 3;
const logBytesMax = 10_000_000;
// The path of a Unix socket is limited to about 100 bytes.
const socketFolderBytesMax = 80;

/** The folders and the address of a data directory's PostgreSQL. Does not access the disk. */
export function locatePostgres(dataDir: string) {
  const folder = resolve(dataDir);
  const cluster = join(folder, "postgres");
  const short = Buffer.byteLength(folder) <= socketFolderBytesMax;
  const name = createHash("sha256").update(cluster).digest("hex").slice(0, 16);
  const host = short ? folder : join(tmpdir(), `lodge-${name}`);
  const address: LocalAddress = { host, port: 5432, user: "lodge", database: "lodge" };
  return { folder, cluster, log: join(folder, "postgres.log"), address };
}

type Place = ReturnType<typeof locatePostgres>;

/**
 * Starts the PostgreSQL of a data directory, and creates its cluster if there is none. Or takes over the one that runs
 * there: a server killed with -9 leaves it running, and a command uses the server's. `more` adds or overrides settings
 * of a PostgreSQL that this call starts.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  stopAsked?: AbortSignal,
  more: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const binaries = await linkBinaries(await findBinaries());
  const place = locatePostgres(dataDir);
  await makeDataDir(dataDir);
  const user = await choosePostgresUser(binaries, place.folder, place.cluster);
  if (user.newOwner) await changeOwner(place, user.newOwner);
  await makeSocketFolder(place, user);
  await makeCluster(place, user);
  await startOrAttach(place, user, stopAsked, more);
  return { address: place.address, stop: () => stopPostgres(place.cluster), recovers: () => recovers(place) };
}

/** Changes the owner of root's files to the user that runs PostgreSQL. */
async function changeOwner({ folder, cluster }: Place, { uid, gid }: { uid: number; gid: number }) {
  await chown(folder, uid, gid);
  if (!existsSync(cluster)) return;
  for (const entry of await readdir(cluster, { recursive: true })) await chown(join(cluster, entry), uid, gid);
  await chown(cluster, uid, gid);
}

/** Checks the owner of the socket's folder: in the temporary directory, another user could have created it. */
async function makeSocketFolder({ folder, cluster, address: { host } }: Place, { command }: PostgresUser) {
  if (host === folder) return;
  const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = command("postgres", []);
  await mkdir(host, { mode: 0o700 }).then(
    () => chown(host, uid, gid),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  const found = await stat(host);
  if (found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new OperatorError(
      `The folder ${host}, for the socket of ${cluster}, belongs to another user. Set LODGE_DATA_DIR to a shorter path.`,
    );
  }
}

/** Creates a cluster with a temporary name and then renames it, so that kill -9 leaves no incomplete cluster. */
async function makeCluster({ folder, cluster }: Place, { command }: PostgresUser) {
  await removeUnfinished(folder);
  if (existsSync(join(cluster, "PG_VERSION"))) return;
  const unfinished = `${cluster}.unfinished-${process.pid}`;
  const {
    command: program,
    args,
    ...as
  } = command("initdb", [
    ...["--pgdata", unfinished, "--username", "lodge", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"],
    ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--data-checksums"],
  ]);
  // In its own session, so that Ctrl-C in a terminal does not interrupt it.
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", "ignore", "pipe"], ...as });
  const [[code], said] = await Promise.all([
    once(child, "close").catch((error: Error) => [error.message]),
    text(child.stderr),
  ]);
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new OperatorError(`Cannot create a database in ${folder}: ${lastLines(said) || code}`);
  }
  await rename(unfinished, cluster).catch(async (error: Error) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(join(cluster, "PG_VERSION"))) throw error; // otherwise another process was faster
  });
}

/** Removes the files of a process that was killed while it created the cluster. */
async function removeUnfinished(folder: string) {
  for (const entry of await readdir(folder)) {
    const pid = Number(/^postgres\.unfinished-(\d+)$/.exec(entry)?.[1]);
    if (pid === process.pid || (pid && !isAlive(pid))) {
      await rm(join(folder, entry), { recursive: true, force: true, maxRetries: 20 });
    }
  }
}

async function startOrAttach(
  place: Place,
  user: PostgresUser,
  stopAsked: AbortSignal | undefined,
  more: Record<string, string>,
) {
  let deadline = performance.now() + startTimeoutMs;
  let started: StartedPostgres | undefined;
  for (let attempts = 0; ; ) {
    const state = await answer(place.address);
    if (state === "ready") return;
    if (stopAsked?.aborted) {
      await started?.end();
      throw new OperatorError(`Stopped by ${stopAsked.reason} while PostgreSQL started.`);
    }
    // It is recovering from a crash, which may take any time, or shutting down.
    if (state === "busy") deadline = performance.now() + startTimeoutMs;
    const failure = started?.failure();
    if (state === "silent" && (!started || failure !== undefined) && !(await findPostmaster(place.cluster))) {
      if (++attempts > startAttemptsMax)
        throw new OperatorError(`PostgreSQL does not start: ${failure}. ${hint(place)}`);
      await removeStaleLocks(place.cluster, place.address);
      started = await spawnPostgres(place, user, more);
    }
    if (performance.now() > deadline) {
      throw new OperatorError(`PostgreSQL does not answer at ${place.address.host}. ${hint(place)}`);
    }
    await sleep(20);
  }
}

const hint = ({ log }: Place) => `See ${log}.`;

/** A PostgreSQL that this process started. `failure` says why it ended. */
type StartedPostgres = { failure: () => string | undefined; end: () => Promise<void> };

async function spawnPostgres(
  { folder, cluster, log, address }: Place,
  user: PostgresUser,
  more: Record<string, string>,
): Promise<StartedPostgres> {
  const bytesBefore = await stat(log).then(
    (found) => (found.size > logBytesMax ? 0 : found.size),
    () => 0,
  );
  const file = await open(log, bytesBefore === 0 ? "w+" : "a+", 0o600);
  const settings = {
    listen_addresses: "",
    port: `${address.port}`,
    unix_socket_directories: address.host,
    unix_socket_permissions: "0700",
    max_connections: "600", // 64 processes take 576 (platform/database/budget.ts)
    shared_buffers: "128MB",
    io_method: "sync", // waking a process for each block takes longer than reading it (docs/decisions/search.md)
    max_wal_size: "2GB",
    log_min_messages: "warning",
    log_line_prefix: "%m [%p] ",
    timezone: "UTC",
    ...more,
  };
  const { command, args, ...as } = user.command("postgres", [
    ...["-D", cluster],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  // In its own session, so that Ctrl-C in a terminal reaches the server first. Logs to a file, so that it
  // survives a killed server.
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", file.fd, file.fd],
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: undefined }, // made for the buffers of the server
    ...as,
  });
  let failure: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      failure = error.message;
      resolve();
    });
    child.on("exit", (code, signal) => {
      const read = readFile(log).catch(() => Buffer.alloc(0)); // its folder may be deleted right after it ended
      void read.then((said) => {
        failure = lastLines(said.subarray(bytesBefore).toString()) || `it exited with ${signal ?? code}`;
        resolve();
      });
    });
  });
  child.unref();
  await file.close();
  return {
    failure: () => failure,
    end: async () => {
      child.ref();
      child.kill("SIGINT");
      await ended;
    },
  };
}

async function recovers({ cluster, address }: Place): Promise<boolean> {
  while ((await findPostmaster(cluster)) !== undefined) {
    if ((await answer(address)) === "ready") return true;
    await sleep(20);
  }
  return false;
}

/** The state of PostgreSQL, from a new connection. If it is ready, Lodge's database exists. */
async function answer(address: LocalAddress): Promise<"ready" | "busy" | "silent"> {
  const client = new pg.Client({ ...address, database: "postgres" });
  client.on("error", () => {});
  try {
    await client.connect();
    await makeDatabase(client, address.database);
    return "ready";
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // It is starting, stopping or out of connections.
    if (["57P01", "57P02", "57P03", "53300"].includes(code)) return "busy";
    // Any other SQLSTATE is a response. An errno (ENOENT, ECONNREFUSED …) or closed connection means nothing listens.
    if (/^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code)) throw error;
    return "silent";
  } finally {
    await client.end().catch(() => {});
  }
}

async function makeDatabase(client: pg.Client, name: string) {
  const found = await client.query("select from pg_database where datname = $1", [name]);
  if (found.rowCount !== 0) return;
  await client.query(`create database ${pg.escapeIdentifier(name)}`).catch((error: { code?: string }) => {
    // Another process was faster.
    if (!["42P04", "23505"].includes(error.code ?? "")) throw error;
  });
}

const lastLines = (said: string) => said.trim().split("\n").slice(-5).join(" / ");
