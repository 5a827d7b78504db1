import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { locatePostgres, startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { beginBackup, endBackup, isInBackup } from "../platform/postgres/online-backup.ts";
import { findPostmaster } from "../platform/postgres/postmaster.ts";
import { testPostgres } from "./test-postgres.ts";
import { until } from "./until.ts";

/** A separate PostgreSQL server. */
type Server = {
  /** The folder of its socket, used as host in its address. */
  host: string;
  query: (text: string) => Promise<Record<string, unknown>[]>;
  /** Kills all of its processes with -9. */
  kill: () => Promise<void>;
  /** Suspends all of its processes, so that it does not respond, until it is killed. */
  hang: () => Promise<void>;
};

/** A primary with our database, and its streaming standby. */
type Pair = AsyncDisposable & {
  primary: Server;
  standby: Server;
  /** An address that lists these servers in order. */
  url: (...servers: Server[]) => string;
};

/**
 * Starts a PostgreSQL and a streaming standby of it. A synchronous standby has flushed a commit before the commit is
 * answered.
 */
export async function startPair({ synchronous = false } = {}): Promise<Pair> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lodge-pair-"));
  started.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const start = async (name: string, settings: Record<string, string>) => {
    const place = locatePostgres(join(folder, name));
    started.defer(() => killAll(place.cluster));
    const { address } = await startEmbeddedPostgres(place.folder, undefined, { shared_buffers: "32MB", ...settings });
    return serverAt(address, place.cluster);
  };

  const original = locatePostgres(join(folder, "one"));
  await mkdir(original.folder, { mode: 0o700 });
  await promisify(execFile)("cp", ["-a", testPostgres().cluster ?? "", original.cluster]);
  const primary = await start("one", { wal_keep_size: "256MB" });
  const copy = locatePostgres(join(folder, "two"));
  await mkdir(copy.folder, { mode: 0o700 });
  await copyCluster(original.address, original.cluster, copy.cluster);
  const follow = `host=${original.address.host} user=${original.address.user} application_name=two`;
  const standby = await start("two", { primary_conninfo: follow, hot_standby_feedback: "on" });
  const isFollowed = async () =>
    (await primary.query("select from pg_stat_replication where state = 'streaming'")).length > 0;
  await until(isFollowed);
  if (synchronous) {
    await primary.query("alter system set synchronous_standby_names = '*'");
    await primary.query("select pg_reload_conf()");
    await until(
      async () => (await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length > 0,
    );
  }
  const all = started.move();
  const { user, database, port } = original.address;
  return {
    primary,
    standby,
    url: (...servers) => {
      const parameters = new URLSearchParams({
        host: servers.map(({ host }) => host).join(),
        port: `${port}`,
        ...(servers.length > 1 && { target_session_attrs: "read-write" }),
      });
      return `postgres://${user}@/${database}?${parameters}`;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Copies a running cluster, as `lodged backup` does, so that the copy can follow it. */
async function copyCluster(address: pg.ClientConfig, from: string, to: string) {
  const client = new pg.Client(address);
  await client.connect();
  try {
    const first = await beginBackup(client);
    await cp(from, to, {
      recursive: true,
      filter: (path) => isInBackup(relative(from, path)),
    });
    const { segments, label } = await endBackup(client, first);
    for (const segment of segments) await cp(join(from, "pg_wal", segment), join(to, "pg_wal", segment));
    await writeFile(join(to, "backup_label"), label);
    await writeFile(join(to, "standby.signal"), "");
  } finally {
    await client.end();
  }
}

function serverAt(address: pg.ClientConfig & { host: string }, cluster: string): Server {
  return {
    host: address.host,
    query: async (text) => {
      const client = new pg.Client(address);
      client.on("error", () => {});
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end().catch(() => {});
      }
    },
    kill: () => killAll(cluster),
    hang: async () => {
      await stopAll(cluster);
    },
  };
}

/** Kills a PostgreSQL and its backends, which would otherwise continue until they notice. */
async function killAll(cluster: string) {
  for (const pid of await stopAll(cluster)) signal(pid, "SIGKILL");
  await until(async () => (await findPostmaster(cluster)) === undefined);
}

/**
 * Suspends a PostgreSQL and its backends, the postmaster first, because it would recover from the loss of a backend.
 * Returns their process ids.
 */
async function stopAll(cluster: string): Promise<number[]> {
  const postmaster = await findPostmaster(cluster);
  if (postmaster === undefined) return [];
  process.kill(postmaster, "SIGSTOP");
  const children: number[] = [];
  for (const name of await readdir("/proc")) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    if (/^\d+ \(.*\) \S (\d+) /.exec(stat)?.[1] === `${postmaster}`) children.push(Number(name));
  }
  for (const pid of children) signal(pid, "SIGSTOP");
  return [postmaster, ...children];
}

function signal(pid: number, name: "SIGSTOP" | "SIGKILL") {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
