import type { Socket } from "node:net";
import pg from "pg";
import type { Host } from "../config/read-hosts.ts";
import { noteConnectFailure } from "../outage.ts";
import { type Hosts, hostsOf, leadTo, NoPrimaryError } from "./hosts.ts";
import { searchPathOf } from "./schema.ts";

/** The time limit to get a connection, new or from a pool that is in use. */
const connectTimeoutMs = 5_000;
/** The delay after its own timeout within which PostgreSQL may report it. */
const answerMs = 1_000;
/** A transaction whose process has stopped in the middle must not hold its locks for long. */
const idleTransactionMs = 10_000;
const farewellMs = 1_000;
const probeMs = 3_000;
/** A host that is gone is noticed after 11 s without a statement, by either side. PostgreSQL then drops its locks. */
const keepAlive = { enable: true, initialDelay: 5_000, interval: 2_000, count: 3 };
const noticeDeath = { tcp_keepalives_idle: 5, tcp_keepalives_interval: 2, tcp_keepalives_count: 3 };

/** The database has not said a word for longer than a statement may take: nobody knows what became of it. */
export class SilentDatabaseError extends Error {
  override name = "SilentDatabaseError";
}

/** The settings of a connection's sessions. Without a timeout a statement may take what it takes. */
export type Session = {
  /** Its name in `pg_stat_activity`. */
  name: string;
  statementTimeoutMs?: number;
  /** More settings of PostgreSQL, by their names. */
  settings?: Readonly<Record<string, string | number>>;
};

type ConnectionConfig = pg.ClientConfig & { session?: Session };

/** The schema of the tables, where a database has several cells. */
type InSchema = { schema?: string | undefined };

/** The driver's settings for connections to an address. */
export const connectionConfig = (address: pg.ClientConfig & InSchema, session: Session): ConnectionConfig => ({
  ...address,
  application_name: session.name,
  connectionTimeoutMillis: connectTimeoutMs,
  session: { ...session, settings: { search_path: searchPathOf(address.schema), ...session.settings } },
});

/** Sent when connected, as poolers such as pgbouncer refuse most parameters of a start. One round trip. */
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
 * A connection that never waits for a database that has fallen silent: it fails with a `SilentDatabaseError` a second
 * after the statement timeout of its session, and takes a second to end at most. Of several hosts it leads to the one that
 * can be written to.
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
    // Only now it is known whether the stream is encrypted.
    if (timeoutMs) this.connection.once("readyForQuery", () => this.#watch(timeoutMs + answerMs));
  }

  /** Whether it waits for the answer to a statement. */
  get isWaiting(): boolean {
    return !(this as unknown as { readyForQuery: boolean }).readyForQuery; // which the driver's types do not tell
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
    // One that is lost at once is told by what is thrown. Nobody else listens before they have it, and the database may end
    // it in the same breath in which it has taken it.
    this.on("error", () => {});
    if (this.#hosts) await this.#connectToPrimary(this.#hosts);
    else await super.connect();
    if (!this.#session) return this;
    try {
      await this.query(settingsOf(this.#session));
    } catch (error) {
      this.destroy(); // without its timeouts it is of no use
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
      if (rows[0]?.standby) throw new NoPrimaryError("The server that could be written to is a standby now");
    } catch (error) {
      hosts.forget(this.#host);
      this.destroy();
      throw error;
    }
  }

  /** Ends it without asking the other side. */
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
      this.destroy(new SilentDatabaseError(`The database has said nothing for ${silenceMs} ms`));
    });
  }
}

/** Opens a connection that mostly listens, and that asks every few seconds whether it is still heard. */
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
    if (!connection.isWaiting) connection.query("select 1").catch(() => {}); // tells in `onLost`
  }, probeMs);
  connection.once("end", () => clearInterval(probe));
  return connection;
}
