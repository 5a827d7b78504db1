import type pg from "pg";
import { readHosts } from "../../platform/config/read-hosts.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { Connection } from "../../platform/database/connection.ts";
import { openPool } from "../../platform/database/database.ts";
import {
  databaseVersionMin,
  keepsSessions,
  readDatabaseVersion,
  sessionsAreShared,
} from "../../platform/database/open-database.ts";
import { isSchemaName } from "../../platform/database/schema.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { migrate } from "../../platform/migrate.ts";
import { createLog } from "../../platform/observe/log.ts";
import { type CellAddress, directoryChannel, home, sealAddress } from "./directory.ts";
import type { DirectoryNews } from "./keep-cells.ts";

const connectTimeoutMs = 10_000;

/** A cell as operators see it. */
type AddedCell = { name: string; migrations: string[] };

/**
 * `lodged cell add` (contract section 12): makes an empty database a cell, and tells the servers, which start to serve
 * it. Can be repeated. Throws an `OperatorError` if the name is taken, the database is not PostgreSQL 18 or a schema of
 * its own, or a replica is not a standby.
 */
export async function addCell(
  directory: pg.Pool,
  sealing: SealingKeys,
  name: string,
  address: Omit<CellAddress, "name">,
): Promise<AddedCell> {
  const { connectionString, schema, replicaUrls = [] } = address;
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name) || name === home) {
    throw new OperatorError(
      `The name of a cell has 1 to 40 lowercase letters, digits and hyphens, and starts with a letter. ${home} is the cell of DATABASE_URL.`,
    );
  }
  if (schema !== undefined && !isSchemaName(schema)) {
    throw new OperatorError(
      "The name of a schema has 1 to 40 lowercase letters, digits and underscores, and starts with a letter. Names of PostgreSQL's own schemas and of the default schema are reserved.",
    );
  }
  await checkDatabase(connectionString);
  for (const url of replicaUrls) await checkReplica(url);
  await directory.query("insert into cell_identity (name) values ($1) on conflict do nothing", [home]);
  await using pool = openPool(address, createLog("silent"), 2, { name: "lodged migrations" });
  const migrations = await migrate(pool);
  const { rows } = await pool.query<{ name: string | null; is_empty: boolean; has_cells: boolean }>(
    `select (select name from cell_identity), not exists (select from organisations) as is_empty,
      exists (select from cells) as has_cells`,
  );
  const [found] = rows;
  const where = schema === undefined ? "database" : "schema";
  if (found?.name && found.name !== name) throw new OperatorError(`That ${where} is already the cell ${found.name}.`);
  if (found?.has_cells)
    throw new OperatorError("That database has a directory of cells: it is the home cell of a Lodge.");
  if (!found?.is_empty && found?.name === null) {
    throw new OperatorError(`That ${where} has organisations. Export them, and add an empty ${where}.`);
  }
  const { rowCount } = await directory.query(
    `with home as (insert into cells (name) values ($1) on conflict do nothing)
    insert into cells (name, sealed_url) values ($2, $3)
    on conflict (name) do update set sealed_url = excluded.sealed_url
      where $4 or not exists (select from cell_organisations where cell = $2)`,
    [home, name, sealAddress(sealing, { name, ...address }), found?.name === name],
  );
  if (rowCount === 0) {
    throw new OperatorError(`The cell ${name} already exists, has organisations and uses another ${where}.`);
  }
  await pool.query("insert into cell_identity (name) values ($1) on conflict do nothing", [name]);
  await tellServers(directory, { cells: true });
  return { name, migrations };
}

/** Notifies every listening server of a change in the directory. */
export async function tellServers(directory: pg.Pool | pg.PoolClient, news: DirectoryNews): Promise<void> {
  await directory.query("select pg_notify($1, $2)", [directoryChannel, JSON.stringify(news)]);
}

async function checkDatabase(connectionString: string) {
  if (!readHosts(connectionString)) {
    throw new OperatorError(
      "The address of a cell's database must be a postgres:// URL of one or more hosts that accept writes.",
    );
  }
  await ask(connectionString, "That database cannot be a cell", async (client) => {
    const { version, number } = await readDatabaseVersion(client);
    if (number < databaseVersionMin) throw new OperatorError(`it is PostgreSQL ${version}; Lodge needs 18 or newer`);
    if (!(await keepsSessions(client, { connectionString }))) throw new OperatorError(`it ${sessionsAreShared}`);
  });
}

async function checkReplica(connectionString: string) {
  await ask(connectionString, "A replica cannot be used", async (client) => {
    const { rows } = await client.query<{ follows: boolean }>("select pg_is_in_recovery() as follows");
    if (!rows[0]?.follows) throw new OperatorError("it is not a standby");
  });
}

async function ask(connectionString: string, failed: string, check: (client: Connection) => Promise<void>) {
  const client = new Connection({ connectionString, connectionTimeoutMillis: connectTimeoutMs });
  client.on("error", () => {});
  try {
    await client.connect();
    await check(client);
  } catch (error) {
    throw new OperatorError(`${failed}: ${describe(error)}`);
  } finally {
    await client.end().catch(() => {});
  }
}
