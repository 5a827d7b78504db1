import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Finding, note, ok, wrong } from "./finding.ts";
import { type CellAddress, isDivided, listCells } from "./operate/cells/directory.ts";
import { sumUnreadable, wrongSecret } from "./operate/provisioning/seal-stored.ts";
import { sealedColumns } from "./operate/provisioning/sealed-columns.ts";
import type { Config } from "./platform/config/config.ts";
import { findSealingKeys } from "./platform/config/secret.ts";
import { Connection, connectionConfig } from "./platform/database/connection.ts";
import { type DatabaseAddress, openPool } from "./platform/database/database.ts";
import { findPendingMigrations } from "./platform/database/migrations.ts";
import {
  databaseVersionMin,
  findLockHolder,
  keepsSessions,
  readDatabaseVersion,
  sessionsAreShared,
} from "./platform/database/open-database.ts";
import { countSealed } from "./platform/database/reseal.ts";
import { describe } from "./platform/errors.ts";
import { createLog } from "./platform/observe/log.ts";
import { locatePostgres } from "./platform/postgres/embedded-postgres.ts";
import { findBinaries } from "./platform/postgres/postgres-binaries.ts";
import { choosePostgresUser } from "./platform/postgres/postgres-user.ts";
import { findPostmaster } from "./platform/postgres/postmaster.ts";

const askTimeoutMs = 5_000;

/** Checks the PostgreSQL of `DATABASE_URL`, its standbys and its cells. */
export async function* examineExternal(config: Config, databaseUrl: string): AsyncGenerator<Finding> {
  const address = { connectionString: databaseUrl };
  yield await examineDatabase(address, "DATABASE_URL");
  yield* examineSecrets(config, address);
  yield* examineReplicas(address, config.replicaUrls, "DATABASE_REPLICA_URLS");
  yield* examineCells(config, address);
}

/** Checks the embedded PostgreSQL, which may not be running. */
export async function* examineEmbedded(config: Config): AsyncGenerator<Finding> {
  const { dataDir } = config;
  const { folder, cluster, address } = locatePostgres(dataDir);
  let binariesVersion = "";
  try {
    const { bin, missingLinks } = await findBinaries();
    const user = await choosePostgresUser(bin, folder, cluster);
    yield ok(`PostgreSQL runs as ${user.description}`);
    if (missingLinks.length > 0) yield note(`PostgreSQL binaries: the first start completes them in ${bin}`);
    else {
      const { command, args, ...as } = user.command("postgres", ["--version"]);
      const { stdout } = await promisify(execFile)(command, args, as);
      binariesVersion = /\d+/.exec(stdout)?.[0] ?? "";
      yield ok(`PostgreSQL binaries: ${stdout.trim()}`);
    }
  } catch (error) {
    yield wrong(`PostgreSQL: ${describe(error)}`);
  }

  const clusterVersion = (await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (binariesVersion && clusterVersion && binariesVersion !== clusterVersion) {
    yield wrong(
      `Database: ${cluster} was made by PostgreSQL ${clusterVersion}, but this Lodge includes ${binariesVersion}. ` +
        "Move it with pg_dump and a new data directory.",
    );
  }
  if ((await findPostmaster(cluster)) !== undefined) {
    yield await examineDatabase(address, "the embedded PostgreSQL");
    yield* examineSecrets(config, address);
    yield* examineCells(config, address);
  } else if (clusterVersion) yield note("Database: not running; lodged serve starts it");
  else yield note("Database: none yet; the first start creates it");
}

/**
 * Checks whether LODGE_SECRET decrypts the stored secrets. Reports nothing if the database does not respond or is not
 * migrated.
 */
async function* examineSecrets(config: Config, address: DatabaseAddress): AsyncGenerator<Finding> {
  await using pool = openPool(address, createLog("silent"), 1, { name: "lodged doctor" });
  const counts = await countSealed(pool, sealedColumns).catch(() => undefined);
  if (!counts) return;
  const keys = await findSealingKeys(config);
  if (!keys) {
    yield note("Secrets: not checked, because LODGE_SECRET is not set here");
    return;
  }
  const unreadable = sumUnreadable(counts, keys);
  if (unreadable > 0) yield wrong(`Secrets: ${wrongSecret(unreadable)}`);
  else if (config.previousSecret === undefined) yield ok("Secrets: LODGE_SECRET decrypts the stored secrets");
  else if (keys.slice(1).some(({ id }) => counts.has(id))) {
    yield note(
      "Secrets: some are still encrypted with LODGE_SECRET_PREVIOUS; the next start encrypts them with LODGE_SECRET",
    );
  } else yield note("Secrets: LODGE_SECRET_PREVIOUS is no longer needed in this database: unset it");
}

/** Checks the cells of the directory. Reports nothing if the directory does not respond or has none. */
async function* examineCells(config: Config, address: DatabaseAddress): AsyncGenerator<Finding> {
  await using directory = openPool(address, createLog("silent"), 1, { name: "lodged doctor" });
  if (!(await isDivided(directory).catch(() => false))) return;
  const keys = await findSealingKeys(config);
  if (!keys) {
    yield wrong("Cells: set LODGE_SECRET to that of the servers: the addresses of the cells are encrypted with it.");
    return;
  }
  let cells: CellAddress[];
  try {
    cells = await listCells(directory, keys);
  } catch (error) {
    yield wrong(`Cells: ${describe(error)}`);
    return;
  }
  for (const cell of cells) {
    yield await examineDatabase(cell, `the cell ${cell.name}`, cell.name);
    yield* examineSecrets(config, cell);
    yield* examineReplicas(cell, cell.replicaUrls ?? [], `the cell ${cell.name}`);
  }
}

/**
 * If a standby is away or does not replicate this database, the primary answers; but a standby of another database
 * would answer with wrong data.
 */
async function* examineReplicas(
  primary: DatabaseAddress,
  urls: readonly string[],
  of: string,
): AsyncGenerator<Finding> {
  for (const [index, connectionString] of urls.entries()) {
    const name = `Replica: ${index + 1} of ${of}`;
    try {
      const [own, followed] = await Promise.all([
        askOnce<Standing>({ ...primary, connectionString }, standing),
        askOnce<Standing>(primary, standing).catch(() => undefined), // reported with the database
      ]);
      if (!own.isStandby) yield wrong(`${name} is not a standby. Give the address of a standby of this database.`);
      else if (followed && own.system !== followed.system) {
        yield wrong(`${name} is a standby of another database. Give the address of a standby of this one.`);
      } else yield ok(`${name} answers${own.secondsBehind ? `, ${own.secondsBehind} s behind` : ""}`);
    } catch (error) {
      yield wrong(`${name}: ${describe(error)}. Check that it runs, and its address and password.`);
    }
  }
}

type Standing = { isStandby: boolean; system: string; secondsBehind: number | null };
/** A standby that has replayed everything is not behind, however long ago the last write was. */
const standing = `select pg_is_in_recovery() as "isStandby", (select system_identifier::text from pg_control_system()) as system,
  case when pg_last_wal_receive_lsn() <> pg_last_wal_replay_lsn()
    then round(extract(epoch from now() - pg_last_xact_replay_timestamp()))::int end as "secondsBehind"`;

async function askOnce<Row>(address: DatabaseAddress, sql: string): Promise<Row> {
  const client = openClient(address);
  try {
    await client.connect();
    return (await client.query(sql)).rows[0] as Row;
  } finally {
    await client.end().catch(() => {});
  }
}

function openClient(address: DatabaseAddress): Connection {
  const client = new Connection({
    ...connectionConfig(address, { name: "lodged doctor" }),
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
  });
  client.on("error", () => {});
  return client;
}

async function examineDatabase(address: DatabaseAddress, name: string, cell?: string): Promise<Finding> {
  const client = openClient(address);
  try {
    await client.connect();
    const { version, number } = await readDatabaseVersion(client);
    if (number < databaseVersionMin)
      return wrong(`Database: ${name} is PostgreSQL ${version}; Lodge needs 18 or newer.`);
    if ("connectionString" in address && !(await keepsSessions(client, address)))
      return wrong(`Database: ${name} ${sessionsAreShared}`);
    const pending = await findPendingMigrations(client);
    if (cell !== undefined && pending.length === 0) {
      const { rows } = await client.query<{ name: string }>("select name from cell_identity");
      if (rows[0]?.name !== cell)
        return wrong(`Database: at the address of ${name} there is another one: ${rows[0]?.name}.`);
    }
    const state = pending.length > 0 ? `the next start applies ${pending.join(", ")}` : "up to date";
    const holder = "connectionString" in address ? undefined : await findLockHolder(client);
    return ok(`Database: ${name} ${version} answers, ${state}${holder ? `; a Lodge ${holder} uses it` : ""}`);
  } catch (error) {
    return wrong(`Database: ${name}: ${describe(error)}. Check that it runs, and its address and password.`);
  } finally {
    await client.end().catch(() => {});
  }
}
