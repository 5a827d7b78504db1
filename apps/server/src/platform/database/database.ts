import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from "kysely";
import pg from "pg";
import type { Log } from "../observe/log.ts";
import type { DB } from "./database.generated.ts";

/** How to reach a PostgreSQL: a URL, or the parts of one. */
export type DatabaseAddress =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/** Typed queries on the one pool of this process. */
export type Database = Kysely<DB>;

/** The same inside a transaction. */
export type Transaction = KyselyTransaction<DB>;

const connectionsMax = 16;
// A PostgreSQL takes 100 connections where nobody has told it otherwise.
const connectionsOfMachineMax = 64;

// A bigint that is too large for a JavaScript number never appears in this schema's counts.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A date stays the text that it is: YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, String);

/** Opens a pool; a broken connection is logged and replaced. `options` are settings of its sessions: `-c name=value`. */
export function openPool(address: DatabaseAddress, log: Log, connections = connectionsMax, options = ""): pg.Pool {
  const pool = new pg.Pool({
    ...address,
    max: connections,
    options,
    application_name: "lodged",
    connectionTimeoutMillis: 10_000,
  });
  pool.on("connect", (client) =>
    client.on("error", (error) => {
      if (!pool.ending) log.warn({ err: error }, "database connection lost");
    }),
  );
  pool.on("error", () => {}); // an idle connection, which has said so itself
  return pool;
}

/** How many connections each of the processes of a machine may have. */
export const connectionsOfProcess = (processes: number) =>
  Math.max(1, Math.min(connectionsMax, Math.floor(connectionsOfMachineMax / processes)));

/** How many of its own the worker of each of them may have: one listens for jobs. */
export const connectionsOfWorker = (processes: number) => Math.max(2, Math.min(6, Math.floor(24 / processes)));

/** Typed queries on a pool. */
export const queryBuilder = (pool: pg.Pool): Database => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });

/** A statement that each connection parses and plans once. `name` must be unique to its text. */
export function preparedStatement<Row extends pg.QueryResultRow>(name: string, text: string) {
  return async (pool: pg.Pool, values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text, values })).rows;
}

/** The SQLSTATEs with which PostgreSQL ends a connection, whatever it was about. */
const endsConnection = /^(08|57P)/;

/** Whether the database refused a statement, so that nothing of it is left; of any other failure nobody knows. */
export const isRolledBack = (error: unknown) =>
  error instanceof pg.DatabaseError && !endsConnection.test(error.code ?? "");

/** Whether a statement failed because there is such a row already. */
export const isUniqueViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23505";

/** Whether a statement failed because what it refers to is not there, or no longer. */
export const isForeignKeyViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23503";
