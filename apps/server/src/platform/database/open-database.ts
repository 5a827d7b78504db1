import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../config/config.ts";
import { describe, OperatorError } from "../errors.ts";
import { type EmbeddedPostgres, locatePostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { Connection, connectionConfig } from "./connection.ts";
import type { DatabaseAddress } from "./database.ts";
import { isMigrated } from "./migrations.ts";

/** The kind of process: a server needs its data directory for itself; a command can share a server's PostgreSQL. */
export type Tenant = "server" | "command";

/** An open database. `close` also stops a PostgreSQL that this process owns; `lost` resolves when that one died. */
export type OpenedDatabase = { address: DatabaseAddress; lost: Promise<void>; close: () => Promise<void> };

/** The oldest supported PostgreSQL, as `server_version_num`: 18. */
export const databaseVersionMin = 180_000;

const lockKey = 5_063_431_002;
const connectTimeoutMs = 10_000;
const applicationName = (tenant: Tenant) => `lodged ${tenant}`;
const unowned = { lost: new Promise<void>(() => {}), close: async () => {} };

/**
 * Opens the database of the settings. The embedded one has one owner, which holds an advisory lock for as long as it
 * lives. A second server is refused, a command shares a server's PostgreSQL, and the owner stops it at the end.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: Config,
  tenant: Tenant,
  stopAsked?: AbortSignal,
): Promise<OpenedDatabase> {
  if (databaseUrl) {
    await checkDatabase(databaseUrl);
    return { address: { connectionString: databaseUrl }, ...unowned };
  }
  for (;;) {
    const postgres = await startEmbeddedPostgres(dataDir, stopAsked);
    let owner: Owner | undefined;
    try {
      owner = await connectAs(tenant, postgres);
      if (await takeLock(owner.client)) return own(tenant, postgres, owner);
      const holder = await findLockHolder(owner.client);
      await owner.client.end();
      if (holder === "server") {
        if (tenant === "command") return { address: postgres.address, ...unowned };
        throw new OperatorError(
          `Another Lodge server runs on the data directory ${dataDir}. Stop it, or set LODGE_DATA_DIR and PORT.`,
        );
      }
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      await owner?.client.end().catch(() => {});
    }
    // A command owns the PostgreSQL and will stop it when it is done.
    if (stopAsked?.aborted) throw new OperatorError(`Stopped by ${stopAsked.reason}.`);
    await sleep(50);
  }
}

/** Throws an `OperatorError` if `openDatabase` would create a database, or `migrate` fill one that is not Lodge's. */
export async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  const { folder, cluster } = locatePostgres(dataDir);
  const found = databaseUrl
    ? await ask(databaseUrl, isMigrated)
    : await access(join(cluster, "PG_VERSION")).then(
        () => true,
        ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
      );
  if (found) return;
  throw new OperatorError(
    databaseUrl
      ? "The database of DATABASE_URL is not a Lodge database. Set DATABASE_URL to that of the server."
      : `There is no database in ${folder}. Set LODGE_DATA_DIR (or DATABASE_URL) to that of the server.`,
  );
}

/** The owner of the embedded PostgreSQL that a client is connected to, or undefined if there is none. */
export async function findLockHolder(client: pg.Client): Promise<Tenant | undefined> {
  const holders = await client.query<{ application_name: string }>(
    `select application_name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = $1`,
    [lockKey],
  );
  const name = holders.rows[0]?.application_name;
  return (["server", "command"] as const).find((tenant) => applicationName(tenant) === name);
}

async function takeLock(client: pg.Client): Promise<boolean> {
  const lock = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [lockKey]);
  return lock.rows[0]?.taken ?? false;
}

/** A connection for the lock, with the name of a tenant. `ended` resolves when it is lost. */
async function connectAs(tenant: Tenant, { address }: EmbeddedPostgres) {
  const client = new pg.Client({ ...address, application_name: applicationName(tenant) });
  client.on("error", () => {}); // the caller tries again if PostgreSQL stops meanwhile
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  await client.connect();
  return { client, ended };
}

type Owner = Awaited<ReturnType<typeof connectAs>>;

/**
 * Holds the lock for as long as PostgreSQL lives. If one of its processes crashes, PostgreSQL closes all connections
 * and recovers within moments; this waits for it and takes the lock again.
 */
function own(tenant: Tenant, postgres: EmbeddedPostgres, first: Owner): OpenedDatabase {
  let closing = false;
  let owner = first;
  const hold = async () => {
    await owner.ended;
    while (!closing && (await postgres.recovers())) {
      const next = await connectAs(tenant, postgres).catch(() => undefined); // it crashed again
      if (!next) continue;
      owner = next;
      const isTaken = await takeLock(next.client).catch(() => undefined);
      if (isTaken === false) return; // a command was faster and will stop PostgreSQL
      if (isTaken === undefined) await next.client.end().catch(() => {}); // it crashed again
      await owner.ended;
    }
  };
  return {
    address: postgres.address,
    lost: new Promise((resolve, reject) => {
      hold().then(() => {
        if (!closing) resolve();
      }, reject);
    }),
    close: async () => {
      closing = true;
      await postgres.stop();
      await owner.client.end().catch(() => {});
    },
  };
}

async function checkDatabase(connectionString: string) {
  const { version, number } = await ask(connectionString, readDatabaseVersion);
  if (number < databaseVersionMin) {
    throw new OperatorError(`The database of DATABASE_URL is PostgreSQL ${version}; Lodge needs 18 or newer.`);
  }
  const hasSessions = await ask(connectionString, (client) => keepsSessions(client, { connectionString }));
  if (!hasSessions) throw new OperatorError(`The database of DATABASE_URL ${sessionsAreShared}`);
}

/** The message about a pooler between Lodge and PostgreSQL. */
export const sessionsAreShared =
  "is behind a pooler that shares a session between connections. Lodge needs its own sessions, because it prepares " +
  "statements, listens and holds locks in them. Set pool_mode = session in pgbouncer, or the same in your pooler.";

/**
 * Whether each connection to an address keeps its own PostgreSQL session. With transaction pooling, a connection gets
 * another session, or shares its own, as soon as a second connection is active.
 */
export async function keepsSessions(client: pg.Client, address: DatabaseAddress): Promise<boolean> {
  const second = new Connection({
    ...address,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  second.on("error", () => {});
  try {
    await second.connect();
    const before = await sessionOf(client);
    await second.query("begin");
    if ((await sessionOf(second)) === before) return false;
    return (await sessionOf(client)) === before;
  } finally {
    await second.end().catch(() => {});
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}

async function ask<T>(connectionString: string, question: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Connection({
    ...connectionConfig({ connectionString }, { name: applicationName("command") }),
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await question(client);
  } catch (error) {
    throw new OperatorError(`The database of DATABASE_URL cannot be reached: ${describe(error)}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The version of a client's PostgreSQL, as text for people and as a number for comparison. */
export async function readDatabaseVersion(client: pg.Client): Promise<{ version: string; number: number }> {
  const { rows } = await client.query<{ version: string; number: number }>(
    "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
  );
  return rows[0] ?? { version: "unknown", number: 0 };
}
