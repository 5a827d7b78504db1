import { Kysely, type Transaction as KyselyTransaction, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Log } from "../observe/log.ts";
import { measurePool } from "../observe/metrics.ts";
import { DeadlineError, within } from "../outage.ts";
import { Connection, connectionConfig, type Session, SilentDatabaseError } from "./connection.ts";
import type { DB } from "./database.generated.ts";

/** How to reach a PostgreSQL, by a URL or the parts of one, and the schema of the tables where it has several cells. */
export type DatabaseAddress = (
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }
) & { schema?: string | undefined };

/** Typed queries on the one pool of this process. */
export type Database = Kysely<DB>;

/** The same inside a transaction. */
export type Transaction = KyselyTransaction<DB>;

/** Where nobody says otherwise. */
const connectionsMax = 16;
const poolEndMs = 2_000;

// A bigint that is too large for a JavaScript number never appears in this schema's counts.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A date stays the text that it is: YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, String);

/** A pool that ends within two seconds, whatever its connections wait for, and whoever holds them. */
class Pool extends pg.Pool implements AsyncDisposable {
  readonly #connections = new Set<Connection>();
  readonly #idle = new Set<Connection>();

  constructor(config: pg.PoolConfig, log: Log) {
    super({ ...config, Client: Connection });
    this.on("connect", (client) => this.#watch(client as pg.PoolClient & Connection, log));
    this.on("acquire", (client) => this.#idle.delete(client as pg.PoolClient & Connection));
    this.on("release", (_, client) => this.#idle.add(client as pg.PoolClient & Connection));
    measurePool((config.application_name ?? "").replace(/^lodged /, ""), this);
    this.on("error", () => {}); // an idle connection, which has said so itself
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
      // Those that nobody uses just now will not answer either, and each would make a request wait to find out.
      if (error instanceof SilentDatabaseError) for (const idle of [...this.#idle]) idle.destroy();
    });
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override async end(callback?: () => void): Promise<void> {
    await within(poolEndMs, super.end()).catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      for (const connection of this.#connections) connection.destroy(); // whoever holds one is told so by it
    });
    callback?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

/** Opens a pool for sessions of one kind. A connection that breaks, or falls silent, is logged and replaced. */
export const openPool = (
  address: DatabaseAddress,
  log: Log,
  connections = connectionsMax,
  session: Session = { name: "lodged tool" },
): pg.Pool & AsyncDisposable => new Pool({ ...connectionConfig(address, session), max: connections }, log);

/** Calls back when a connection of a pool is lost on which a statement was under way: nobody knows what became of it. */
export function onLostStatement(pool: pg.Pool, listener: () => void): void {
  pool.on("connect", (client) => {
    client.on("error", () => {
      if ((client as pg.PoolClient & Connection).isWaiting) listener();
    });
  });
}

/** Typed queries on a pool. */
export const queryBuilder = (pool: pg.Pool): Database => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });

/** The SQLSTATEs with which PostgreSQL ends a connection, whatever it was about. */
const endsConnection = /^(08|57P)/;
/** Those with which it says that it cannot serve whatever it is asked: no room, no memory, a standby. */
const cannotServe = /^(53|58|25006)/;

/** Whether the database refused a statement, so that nothing of it is left; of any other failure nobody knows. */
export const isRolledBack = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !endsConnection.test(error.code ?? "");

/** Whether it refused a statement for what that says: another one may do well. */
export const isOfStatement = (error: unknown) => isRolledBack(error) && !cannotServe.test(error.code ?? "");

/** Whether a statement failed because there is such a row already. */
export const isUniqueViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23505";

/** Whether a statement failed because what it refers to is not there, or no longer. */
export const isForeignKeyViolation = (error: unknown) => (error as { code?: string } | undefined)?.code === "23503";

/** An id for a row that is encrypted for it before it is inserted. */
export async function makeId(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`select uuidv7() as id`.execute(db);
  return rows[0]?.id as string;
}
