import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { access, constants, readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type CellAddress, isDivided, listCells } from "./operate/cells/directory.ts";
import { sumUnreadable, wrongSecret } from "./operate/provisioning/seal-stored.ts";
import { sealedColumns } from "./operate/provisioning/sealed-columns.ts";
import type { Config } from "./platform/config/config.ts";
import { findSealingKeys, secretPath } from "./platform/config/secret.ts";
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
import { greetRedis } from "./platform/limits/redis-rates.ts";
import { createLog } from "./platform/observe/log.ts";
import { greetMailServer } from "./platform/outbound/open-mailer.ts";
import { findBinaries, findPostmaster, locatePostgres } from "./platform/postgres/embedded-postgres.ts";
import { choosePostgresUser } from "./platform/postgres/postgres-user.ts";
import { openS3 } from "./platform/store/s3-requests.ts";
import { findRoom } from "./platform/store/watch-disks.ts";

const nodeMajorMin = 26;
const askTimeoutMs = 5_000;

/** One thing that was looked at: `wrong` says what to do about it, `note` is neither right nor wrong. */
export type Finding = { state: "ok" | "note" | "wrong"; text: string };

const ok = (text: string): Finding => ({ state: "ok", text });
const note = (text: string): Finding => ({ state: "note", text });
const wrong = (text: string): Finding => ({ state: "wrong", text });

/** Looks at everything that a server stands on. Starts, stops and changes nothing; a running server is not disturbed. */
export async function* examine(readConfig: () => Config): AsyncGenerator<Finding> {
  yield examineNode();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    for (const problem of describe(error).split("\n").slice(1)) yield wrong(`Settings: ${problem.trim()}`);
    yield note("The rest is looked at once the settings are right.");
    return;
  }
  yield ok("Settings: every one that is set fits");
  yield* examineDataDir(config);
  if (config.databaseUrl) {
    const address = { connectionString: config.databaseUrl };
    yield await examineDatabase(address, "DATABASE_URL");
    yield* examineSecrets(config, address);
    yield* examineReplicas(address, config.replicaUrls, "DATABASE_REPLICA_URLS");
    yield* examineCells(config, address);
  } else yield* examineEmbedded(config);
  yield await examineStore(config);
  if (config.redisUrl) yield await examineRedis(config.redisUrl);
  if (config.smtpUrl) yield await examineMail(config.smtpUrl);
  if (config.tracing) yield await examineCollector(config.tracing.url);
  yield await examinePort(config);
}

function examineNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= nodeMajorMin
    ? ok(`Node: ${node}`)
    : wrong(
        `Node: ${node} is older than ${nodeMajorMin}. Start Lodge with npm start or npx lodged: they bring their own.`,
      );
}

async function examineStore({ databaseUrl, dataDir, s3 }: Config): Promise<Finding> {
  const shared = databaseUrl ? "; all servers on this DATABASE_URL must share this folder" : "";
  if (!s3) return ok(`Store: files below ${resolve(dataDir, "artifacts")}${shared}`);
  const bucket = `the bucket ${s3.bucket} at ${s3.endpoint}`;
  return openS3(s3)({ method: "HEAD" }).then(
    () => ok(`Store: ${bucket} answers`),
    (error: unknown) => wrong(`Store: ${bucket}: ${describe(error)}. Check the S3_* settings.`),
  );
}

async function* examineDataDir(config: Config): AsyncGenerator<Finding> {
  const path = resolve(config.dataDir);
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existing === path) yield* examineOwners(config);
    else yield ok(`Data directory: ${path} is made at the first start`);
  } catch (error) {
    yield wrong(`Data directory: ${path}: ${describe(error)}. Make it writable for this user, or set LODGE_DATA_DIR.`);
  }
  const { freeBytes, reserveBytes } = await findRoom(existing, config.diskReserveBytes);
  const room = `Disk: ${inGigabytes(freeBytes)} free, of which ${inGigabytes(reserveBytes)} stay free`;
  yield freeBytes >= reserveBytes
    ? ok(room)
    : wrong(
        `${room}, at ${existing}: reports are refused. Make room, set LODGE_DATA_DIR to a larger disk, or LODGE_DISK_RESERVE.`,
      );
}

const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

/** Who may change the data directory and the secret in it may sign in as anybody. */
async function* examineOwners({ dataDir, secret }: Config): AsyncGenerator<Finding> {
  const path = resolve(dataDir);
  const folder = await stat(path);
  const trusted = [process.getuid?.() ?? 0, 0];
  const seen = `${path}, writable, of the user ${folder.uid}, mode ${octal(folder.mode)}`;
  if ((folder.mode & 0o022) !== 0 && process.platform !== "win32") {
    yield wrong(`Data directory: ${seen}: others can write it. Run chmod 700 ${path}`);
  } else if (process.getuid?.() !== 0 && !trusted.includes(folder.uid)) {
    yield wrong(`Data directory: ${seen}, which is not this user. Give it to who runs the server: chown -R … ${path}`);
  } else yield ok(`Data directory: ${seen}`);

  const file = secretPath(path);
  const kept = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (secret || !kept || process.platform === "win32") return;
  const of = `Secret: ${file}, of the user ${kept.uid}, mode ${octal(kept.mode)}`;
  if ((kept.mode & 0o077) !== 0) {
    const can = (kept.mode & 0o022) !== 0 ? "write it, so the server refuses it" : "read it";
    yield wrong(`${of}: others can ${can}. Run chmod 600 ${file}`);
  } else if (![...trusted, folder.uid].includes(kept.uid)) {
    yield wrong(`${of}: it belongs to somebody else. Give it to who runs the server: chown … ${file}`);
  } else yield ok(of);
}

const octal = (mode: number) => (mode & 0o777).toString(8);

async function* examineEmbedded(config: Config): AsyncGenerator<Finding> {
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
      `Database: ${cluster} was made by PostgreSQL ${clusterVersion}, and this Lodge brings ${binariesVersion}. ` +
        "Move it with pg_dump and a new data directory.",
    );
  }
  if ((await findPostmaster(cluster)) !== undefined) {
    yield await examineDatabase(address, "the embedded PostgreSQL");
    yield* examineSecrets(config, address);
    yield* examineCells(config, address);
  } else if (clusterVersion) yield note("Database: not running; lodged serve starts it");
  else yield note("Database: none yet; the first start makes it");
}

/** Whether LODGE_SECRET decrypts what is stored; of a database that does not answer or is not migrated, nothing is said. */
async function* examineSecrets(config: Config, address: DatabaseAddress): AsyncGenerator<Finding> {
  await using pool = openPool(address, createLog("silent"), 1, { name: "lodged doctor" });
  const counts = await countSealed(pool, sealedColumns).catch(() => undefined);
  if (!counts) return;
  const keys = await findSealingKeys(config);
  if (!keys) {
    yield note("Secrets: LODGE_SECRET is not set here, so whether it decrypts those that are stored is not known");
    return;
  }
  const unreadable = sumUnreadable(counts, keys);
  if (unreadable > 0) yield wrong(`Secrets: ${wrongSecret(unreadable)}`);
  else if (config.previousSecret === undefined) yield ok("Secrets: LODGE_SECRET decrypts those that are stored");
  else if (keys.slice(1).some(({ id }) => counts.has(id))) {
    yield note("Secrets: some are still encrypted with LODGE_SECRET_PREVIOUS; the next start encrypts them anew");
  } else yield note("Secrets: LODGE_SECRET_PREVIOUS is no longer needed in this database: unset it");
}

/** The cells of a directory that answers; of one that does not, and of none, nothing is said. */
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

/** Where a standby is away or none of its database, the primary answers; one of another database would answer for it. */
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
        askOnce<Standing>(primary, standing).catch(() => undefined), // said of the database
      ]);
      if (!own.isStandby) yield wrong(`${name} is no standby. Give the address of one that streams from the database.`);
      else if (followed && own.system !== followed.system) {
        yield wrong(`${name} is a standby of another database. Give the address of one that streams from this one.`);
      } else yield ok(`${name} answers${own.secondsBehind ? `, ${own.secondsBehind} s behind` : ""}`);
    } catch (error) {
      yield wrong(`${name}: ${describe(error)}. Check that it runs, and its address and password.`);
    }
  }
}

type Standing = { isStandby: boolean; system: string; secondsBehind: number | null };
/** What has been replayed up to the end is not behind, however long ago it was written. */
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
      if (rows[0]?.name !== cell) return wrong(`Database: ${name} is at the address of another: ${rows[0]?.name}.`);
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

const examineRedis = (url: string): Promise<Finding> =>
  greetRedis(url, askTimeoutMs).then(
    (version) => ok(`Redis: REDIS_URL ${version} answers`),
    (error: unknown) =>
      wrong(`Redis: REDIS_URL: ${describe(error)}. Check that it runs, and its address and password.`),
  );

const examineMail = (url: string): Promise<Finding> =>
  greetMailServer(url, askTimeoutMs).then(
    () => ok("E-mail: LODGE_SMTP_URL takes messages"),
    (error: unknown) =>
      wrong(`E-mail: LODGE_SMTP_URL: ${describe(error)}. Check the server's address, user and password.`),
  );

async function examineCollector(url: string): Promise<Finding> {
  const { greetCollector } = await import("./platform/observe/open-tracer.ts");
  return greetCollector(url, askTimeoutMs).then(
    () => ok(`Traces: the collector at ${url} takes them`),
    (error: unknown) => wrong(`Traces: ${url}: ${describe(error)}. Check the OTEL_EXPORTER_OTLP_ settings.`),
  );
}

async function examinePort({ host, port }: Config): Promise<Finding> {
  const name = `Port: ${port} of ${host}`;
  if (port === 0) return ok("Port: a free one is taken");
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return ok(`${name} is free`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") {
      return wrong(`${name}: ${describe(error)}. Set HOST and PORT to something this machine has.`);
    }
    return (await isLodge(host, port))
      ? note(`${name} is served by a Lodge; to start another one, set PORT`)
      : wrong(`${name} is taken by another program. Stop it, or set PORT.`);
  } finally {
    server.close();
  }
}

async function isLodge(host: string, port: number): Promise<boolean> {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${reachable}:${port}/healthz`, { signal: AbortSignal.timeout(askTimeoutMs) });
    return answer.headers.has("x-request-id") && (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}
