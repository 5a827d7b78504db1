import type { Socket } from "node:net";
import pg from "pg";
import type { Host } from "../config/read-hosts.ts";
import { noteConnectFailure } from "../outage.ts";
import { type Hosts, hostsOf, leadTo, NoPrimaryError } from "./hosts.ts";
import { searchPathOf } from "./schema.ts";

/** The timeout for a new connection, or for one from a busy pool. */
const connectTimeoutMs = 5_000;
/** The time after a statement timeout within which PostgreSQL must report it. */
const answerMs = 1_000;
/** A transaction of a stopped process must not hold its locks for long. */
const idleTransactionMs = 10_000;
const farewellMs = 1_000;
const probeMs = 3_000;
/** Either side notices a lost host after 11 s without a statement. PostgreSQL then releases the locks. */
const keepAlive = { enable: true, initialDelay: 5_000, interval: 2_000, count: 3 };
const noticeDeath = { tcp_keepalives_idle: 5, tcp_keepalives_interval: 2, tcp_keepalives_count: 3 };

/** The database did not respond for longer than the statement timeout. The outcome of the statement is unknown. */
export class SilentDatabaseError extends Error {
  override name = "SilentDatabaseError";
}

/** The settings of a connection's sessions. Without a timeout, statements have no time limit. */
export type Session = {
  /** The name in `pg_stat_activity`. */
  name: string;
  statementTimeoutMs?: number;
  /** Other settings of PostgreSQL by name. */
  settings?: Readonly<Record<string, string | number>>;
};

type ConnectionConfig = pg.ClientConfig & { session?: Session };

/** The schema of the tables, if a database has several cells. */
type InSchema = { schema?: string | undefined };

/** The driver's settings for connections to an address. */
export const connectionConfig = (address: pg.ClientConfig & InSchema, session: Session): ConnectionConfig => ({
  ...address,
  application_name: session.name,
  connectionTimeoutMillis: connectTimeoutMs,
  session: { ...session, settings: { search_path: searchPathOf(address.schema), ...session.settings } },
});

/** Sent after connecting, since poolers such as pgbouncer refuse most startup parameters. One round trip. */
function settingsOf({ statementTimeoutMs, settings }: Session): string {
  const all = {
    ...noticeDeath,
    ...(statementTimeoutMs && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
    }),
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join("; ");
}

/**
 * A connection that does not wait for a silent database: it fails with a `SilentDatabaseError` a second after its
 * statement timeout, and closes within a second. With several hosts, it connects to the writable one.
 */
export class Connection extends pg.Client {
  readonly #session: Session | undefined;
  readonly #hosts: Hosts | undefined;
  #host: Host | undefined;

  constructor(config: ConnectionConfig = {}) {
    const hosts = config.connectionString === undefined ? undefined : hostsOf(config.connectionString);
    super(hosts ? { ...config, connectionString: hosts.first } : config);
    this.#hosts = hosts;
    this.#session = config.session;
    this.connection.once("connect", () => (this.connection.stream as Socket).setKeepAlive(keepAlive));
    const timeoutMs = config.session?.statementTimeoutMs;
    // Whether the stream is encrypted is only known now.
    if (timeoutMs) this.connection.once("readyForQuery", () => this.#watch(timeoutMs + answerMs));
  }

  /** Whether a statement is in progress. */
  get isWaiting(): boolean {
    return !(this as unknown as { readyForQuery: boolean }).readyForQuery; // missing in the driver's types
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    const connected = this.#connect().catch((error: unknown) => {
      throw noteConnectFailure(error);
    });
    return callback ? void connected.then(() => callback(null), callback) : connected;
  }

  async #connect(): Promise<this> {
    // The thrown error reports a connection that is lost immediately. Nothing listens for errors before the caller has
    // it, and the database may close it right after accepting it.
    this.on("error", () => {});
    if (this.#hosts) await this.#connectToPrimary(this.#hosts);
    else await super.connect();
    if (!this.#session) return this;
    try {
      await this.query(settingsOf(this.#session));
    } catch (error) {
      this.destroy(); // without its timeouts the connection must not be used
      throw error;
    }
    return this;
  }

  async #connectToPrimary(hosts: Hosts) {
    this.#host = await hosts.findPrimary();
    leadTo(this, this.#host);
    this.connection.once("end", hosts.follow(this.#host, this));
    try {
      await super.connect();
      const { rows } = await this.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
      if (rows[0]?.standby) throw new NoPrimaryError("The primary server is now a standby");
    } catch (error) {
      hosts.forget(this.#host);
      this.destroy();
      throw error;
    }
  }

  /** Closes the connection without telling the server. */
  destroy(error?: Error): void {
    this.connection.stream.destroy(error);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.destroy(), farewellMs);
    this.connection.once("end", () => clearTimeout(timer));
    return callback ? super.end(callback) : super.end();
  }

  #watch(silenceMs: number) {
    const stream = this.connection.stream as Socket;
    stream.setTimeout(silenceMs);
    stream.on("timeout", () => {
      if (!this.isWaiting) return;
      if (this.#host) this.#hosts?.forget(this.#host);
      this.destroy(new SilentDatabaseError(`The database has not responded for ${silenceMs} ms`));
    });
  }
}

/** Opens a connection for LISTEN, which checks every few seconds whether it still works. */
export async function openListeningConnection(
  address: pg.ClientConfig & InSchema,
  name: string,
  onLost: (error: Error) => void,
): Promise<Connection> {
  const connection = new Connection(connectionConfig(address, { name, statementTimeoutMs: probeMs }));
  connection.on("error", onLost);
  await connection.connect().catch((error: unknown) => {
    connection.destroy();
    throw error;
  });
  const probe = setInterval(() => {
    if (!connection.isWaiting) connection.query("select 1").catch(() => {}); // reported to `onLost`
  }, probeMs);
  connection.once("end", () => clearInterval(probe));
  return connection;
}
