import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Host, readHosts } from "../config/read-hosts.ts";

const probeTimeoutMs = 1_000;
const pauseMs = 100;
/** Less than a pool waits for a connection. */
const searchMsMax = 4_000;

/** That none of the hosts can be written to; PostgreSQL says the same of a statement that writes on a standby. */
export class NoPrimaryError extends Error {
  override name = "NoPrimaryError";
  readonly code = "25006";
}

/** Servers of which one can be written to, and which one that is. */
export type Hosts = {
  first: string;
  /** The one that can be written to; throws where none says so within four seconds. */
  findPrimary: () => Promise<Host>;
  /** Has it looked for anew: it is gone, or a standby now. */
  forget: (host: Host) => void;
  /** Has a connection to a host be destroyed, whatever it waits for, once another one is found instead. Returns what ends that. */
  follow: (host: Host, connection: Destroyable) => () => void;
};

type Destroyable = { destroy: (error: Error) => void };

const known = new Map<string, Hosts | undefined>();

/**
 * The servers of an address that names several; undefined for one. The connections share what one of them finds out.
 */
export function hostsOf(address: string): Hosts | undefined {
  if (!known.has(address)) known.set(address, openHosts(address));
  return known.get(address);
}

function openHosts(address: string): Hosts | undefined {
  const { hosts, first } = readHosts(address) ?? { hosts: [], first: address };
  if (hosts.length < 2) return undefined;
  let primary: Host | undefined;
  let searching: Promise<Host> | undefined;
  const followers = new Map<Destroyable, Host>();

  async function search(): Promise<Host> {
    const deadline = performance.now() + searchMsMax;
    for (;;) {
      const probes = await Promise.all(hosts.map(async (host) => ({ host, ...(await probe(first, host)) })));
      // One that was primary before, and has come back, is behind by a timeline.
      const [found] = probes
        .filter(({ timeline }) => timeline)
        .sort((one, other) => (other.timeline ?? 0) - (one.timeline ?? 0));
      if (found) {
        primary = found.host;
        for (const [connection, host] of followers) {
          if (host !== primary) connection.destroy(new NoPrimaryError("Another server can be written to now"));
        }
        return primary;
      }
      if (performance.now() > deadline) {
        const reasons = probes.map(({ host, reason }) => `${host.host}:${host.port}: ${reason}`);
        throw new NoPrimaryError(`No server can be written to (${reasons.join("; ")})`);
      }
      await sleep(pauseMs);
    }
  }

  return {
    first,
    findPrimary: async () => {
      if (primary) return primary;
      searching ??= search().finally(() => {
        searching = undefined;
      });
      return searching;
    },
    forget: (host) => {
      if (primary === host) primary = undefined;
    },
    follow: (host, connection) => {
      followers.set(connection, host);
      return () => followers.delete(connection);
    },
  };
}

/** Leads a client that is not connected yet to one of the hosts. */
export const leadTo = (client: pg.Client, { host, port }: Host) => Object.assign(client, { host, port });

/** The timeline that a server writes, or why it writes none. */
async function probe(first: string, host: Host): Promise<{ timeline?: number; reason?: string }> {
  const client = new pg.Client({
    connectionString: first,
    application_name: "lodged search",
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  });
  client.on("error", () => {});
  try {
    await leadTo(client, host).connect();
    const { rows } = await client.query<{ timeline: number | null }>(
      `select case when not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::boolean
        then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer end as timeline`,
    );
    const timeline = rows[0]?.timeline;
    return timeline ? { timeline } : { reason: "a standby" };
  } catch (error) {
    return { reason: (error as Error).message };
  } finally {
    void client.end().catch(() => {});
  }
}
