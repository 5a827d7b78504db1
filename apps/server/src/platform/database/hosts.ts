import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Host, readHosts } from "../config/read-hosts.ts";

const probeTimeoutMs = 1_000;
const pauseMs = 100;
/** Below the connection timeout of a pool. */
const searchMsMax = 4_000;

/** None of the hosts is writable. PostgreSQL has the same code for a write on a standby. */
export class NoPrimaryError extends Error {
  override name = "NoPrimaryError";
  readonly code = "25006";
}

/** A group of servers, one of which is the writable primary. */
export type Hosts = {
  first: string;
  /** The primary; throws `NoPrimaryError` if none is found within four seconds. */
  findPrimary: () => Promise<Host>;
  /** Searches the primary again, because this host is unreachable or a standby. */
  forget: (host: Host) => void;
  /** Destroys a connection when another host becomes the primary. Returns a function that ends this. */
  follow: (host: Host, connection: Destroyable) => () => void;
};

type Destroyable = { destroy: (error: Error) => void };

const known = new Map<string, Hosts | undefined>();

/** The servers of an address with several hosts; undefined for one host. All connections share the found primary. */
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
      // A former primary that came back has an older timeline.
      const [found] = probes
        .filter(({ timeline }) => timeline)
        .sort((one, other) => (other.timeline ?? 0) - (one.timeline ?? 0));
      if (found) {
        primary = found.host;
        for (const [connection, host] of followers) {
          if (host !== primary) connection.destroy(new NoPrimaryError("Another server is now the primary"));
        }
        return primary;
      }
      if (performance.now() > deadline) {
        const reasons = probes.map(({ host, reason }) => `${host.host}:${host.port}: ${reason}`);
        throw new NoPrimaryError(`No server is writable (${reasons.join("; ")})`);
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

/** Sets the host of a client that is not connected yet. */
export const leadTo = (client: pg.Client, { host, port }: Host) => Object.assign(client, { host, port });

/** The timeline of a primary, or the reason why the server is not one. */
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
