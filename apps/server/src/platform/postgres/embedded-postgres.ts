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

/** A running PostgreSQL of our own. */
export type EmbeddedPostgres = {
  address: LocalAddress;
  /** Asks it to disconnect everybody and to end, and returns when it has. */
  stop: () => Promise<void>;
  /** Waits until it serves again, as after a crash of one of its processes; false where it has ended. */
  recovers: () => Promise<boolean>;
};

const startTimeoutMs = 60_000;
const startAttemptsMax = 3;
const logBytesMax = 10_000_000;
// The address of a Unix socket has room for about 100 bytes.
const socketFolderBytesMax = 80;

/** Where the PostgreSQL of a data directory keeps its files, and how to reach it where it runs. Looks at nothing. */
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
 * Starts the PostgreSQL of a data directory, making its cluster if there is none, or takes over the one that runs there:
 * a server killed with -9 leaves it behind, and a command finds the server's. `more` are settings beside our own, or in
 * their place, for one that this call starts.
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
  if (user.newOwner) await giveAway(place, user.newOwner);
  await makeSocketFolder(place, user);
  await makeCluster(place, user);
  await startOrAttach(place, user, stopAsked, more);
  return { address: place.address, stop: () => stopPostgres(place.cluster), recovers: () => recovers(place) };
}

/** Files that root owned are given to the user that PostgreSQL runs as. */
async function giveAway({ folder, cluster }: Place, { uid, gid }: { uid: number; gid: number }) {
  await chown(folder, uid, gid);
  if (!existsSync(cluster)) return;
  for (const entry of await readdir(cluster, { recursive: true })) await chown(join(cluster, entry), uid, gid);
  await chown(cluster, uid, gid);
}

/** A socket folder in the temporary directory could have been put there by somebody else, to listen in our place. */
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
      `The folder ${host}, for the socket of ${cluster}, belongs to somebody else. Set LODGE_DATA_DIR to a shorter path.`,
    );
  }
}

/** Made under another name and renamed when it is whole: a kill -9 meanwhile leaves no half-made cluster. */
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
  // In a session of its own, so that Ctrl-C in a terminal does not end it in the middle.
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", "ignore", "pipe"], ...as });
  const [[code], said] = await Promise.all([
    once(child, "close").catch((error: Error) => [error.message]),
    text(child.stderr),
  ]);
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new OperatorError(`Cannot make a database in ${folder}: ${lastLines(said) || code}`);
  }
  await rename(unfinished, cluster).catch(async (error: Error) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(join(cluster, "PG_VERSION"))) throw error; // else another process was faster
  });
}

/** The files that a process left which was killed while it made the cluster. */
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
    // It recovers from a crash, which takes what it takes, or it is on its way out.
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

const hint = ({ log }: Place) => `${log} says more.`;

/** A PostgreSQL that this process has started. `failure` says why it has ended. */
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
  // In a session of its own, so that Ctrl-C in a terminal reaches the server first, and with a file for its
  // messages, so that it outlives a server that was killed.
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
      const read = readFile(log).catch(() => Buffer.alloc(0)); // its folder may have been deleted as soon as it had ended
      void read.then((said) => {
        failure = lastLines(said.subarray(bytesBefore).toString()) || `it ended with ${signal ?? code}`;
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

/** The answer of a PostgreSQL to a new connection. One that is ready has our database. */
async function answer(address: LocalAddress): Promise<"ready" | "busy" | "silent"> {
  const client = new pg.Client({ ...address, database: "postgres" });
  client.on("error", () => {});
  try {
    await client.connect();
    await makeDatabase(client, address.database);
    return "ready";
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // It starts, stops (while it was asked, even) or is full.
    if (["57P01", "57P02", "57P03", "53300"].includes(code)) return "busy";
    // Any other SQLSTATE is an answer; an errno (ENOENT, ECONNREFUSED …) or a cut connection says that nobody listens.
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
