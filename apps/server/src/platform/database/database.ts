import { Kysely, type Transaction as KyselyTransaction, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Log } from "../observe/log.ts";
import { measurePool } from "../observe/metrics.ts";
import { DeadlineError, within } from "../outage.ts";
import { Connection, connectionConfig, type Session, SilentDatabaseError } from "./connection.ts";
import type { DB } from "./database.generated.ts";

/** The address of a PostgreSQL as a URL or its parts, and the schema of the tables if it has several cells. */
export type DatabaseAddress = (
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }
) & { schema?: string | undefined };

/** Typed queries on the one pool of this process. */
export type Database = Kysely<DB>;

/** Typed queries in a transaction. */
export type Transaction = KyselyTransaction<DB>;

/** The default size of a pool. */
const connectionsMax = 16;
const poolEndMs = 2_000;

// Counts in this schema are never too large for a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// Dates stay text: YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, String);

/** A pool that closes within two seconds, even if its connections are in use. */
class Pool extends pg.Pool implements AsyncDisposable {
  readonly #connections = new Set<Connection>();
  readonly #idle = new Set<Connection>();

  constructor(config: pg.PoolConfig, log: Log) {
    super({ ...config, Client: Connection });
    this.on("connect", (client) => this.#watch(client as pg.PoolClient & Connection, log));
    this.on("acquire", (client) => this.#idle.delete(client as pg.PoolClient & Connection));
    this.on("release", (_, client) => this.#idle.add(client as pg.PoolClient & Connection));
    measurePool((config.application_name ?? "").replace(/^lodged /, ""), this);
    this.on("error", () => {}); // an idle connection, which has reported its own error
  }

  #watch(connection: Connection, log: Log) {
    this.#connections.add(connection);
    connection.once("end", () => {
      this.#connections.delete(connection);
      this.#idle.delete(connection);
    });
    connection.on("error", (error) => {
      if (this.ending) return;
      log.warn({ err: error, connection: this.options.application_name }, "database connection lost");
      // The idle connections are probably lost too, and each would delay a request.
      if (error instanceof SilentDatabaseError) for (const idle of [...this.#idle]) idle.destroy();
    });
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override async end(callback?: () => void): Promise<void> {
    await within(poolEndMs, super.end()).catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      for (const connection of this.#connections) connection.destroy(); // connections in use report their own error
    });
    callback?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

/** Opens a pool for one kind of session. Broken or silent connections are logged and replaced. */
export const openPool = (
  address: DatabaseAddress,
  log: Log,
  connections = connectionsMax,
  session: Session = { name: "lodged tool" },
): pg.Pool & AsyncDisposable => new Pool({ ...connectionConfig(address, session), max: connections }, log);

/** Calls `listener` when a connection is lost during a statement, whose outcome is then unknown. */
export function onLostStatement(pool: pg.Pool, listener: () => void): void {
  pool.on("connect", (client) => {
    client.on("error", () => {
      if ((client as pg.PoolClient & Connection).isWaiting) listener();
    });
  });
}

/** Typed queries on a pool. */
export const queryBuilder = (pool: pg.Pool): Database => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });

/** The SQLSTATEs with which PostgreSQL closes a connection, regardless of the statement. */
const endsConnection = /^(08|57P)/;
/** The SQLSTATEs for a server that cannot serve any statement: disk or memory full, or a standby. */
const cannotServe = /^(53|58|25006)/;

/** Whether the database refused and rolled back a statement. After other failures, its outcome is unknown. */
export const isRolledBack = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !endsConnection.test(error.code ?? "");

/** Whether the database refused a statement because of its content, so that others may succeed. */
export const isOfStatement = (error: unknown) => isRolledBack(error) && !cannotServe.test(error.code ?? "");

/** Whether a statement failed because of a unique constraint. */
export const isUniqueViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23505";

/** Whether a statement failed because of a foreign key. */
export const isForeignKeyViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23503";

/** An id for a new row, to encrypt its secrets for it before the insert. */
export async function makeId(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`select uuidv7() as id`.execute(db);
  return rows[0]?.id as string;
}
