import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Config } from "./config.ts";
import type { DatabaseAddress } from "./database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { OperatorError } from "./errors.ts";

/** Who asks: a server keeps others off its data directory; a command is content with a server's PostgreSQL. */
export type Tenant = "server" | "command";

/** A database that answers. `close` also stops a PostgreSQL that this process owns. `onLost` tells that it died. */
export type OpenedDatabase = {
  address: DatabaseAddress;
  onLost: (listener: () => void) => void;
  close: () => Promise<void>;
};

const lockKey = 5_063_431_002;
const applicationName = (tenant: Tenant) => `lodged ${tenant}`;

/**
 * Opens the database of the settings. The embedded one has one owner, which holds an advisory lock for as long as it
 * lives: a second server is refused, a command shares a server's PostgreSQL, and the last one out stops it.
 */
export async function openDatabase({ databaseUrl, dataDir }: Config, tenant: Tenant): Promise<OpenedDatabase> {
  if (databaseUrl) {
    return { address: { connectionString: databaseUrl }, onLost: () => {}, close: async () => {} };
  }
  for (;;) {
    const postgres = await startEmbeddedPostgres(dataDir);
    const client = new pg.Client({ ...postgres.address, application_name: applicationName(tenant) });
    client.on("error", () => {}); // a PostgreSQL that stops while it is asked: the next round starts it
    try {
      await client.connect();
      const outcome = await takeLock(client);
      if (outcome === "taken") return own(postgres, client);
      if (outcome === applicationName("server")) {
        await client.end();
        if (tenant === "command") return { address: postgres.address, onLost: () => {}, close: async () => {} };
        throw new OperatorError(
          `Another Lodge server runs on the data directory ${dataDir}. Stop it, or set LODGE_DATA_DIR and PORT.`,
        );
      }
      await client.end();
    } catch (error) {
      if (error instanceof OperatorError) throw error;
    }
    await sleep(50); // a command owns it, and will stop it when it is done
  }
}

async function takeLock(client: pg.Client): Promise<string> {
  const lock = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [lockKey]);
  if (lock.rows[0]?.taken) return "taken";
  const holder = await client.query<{ application_name: string }>(
    `select application_name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = $1`,
    [lockKey],
  );
  return holder.rows[0]?.application_name ?? "gone";
}

function own(postgres: EmbeddedPostgres, client: pg.Client): OpenedDatabase {
  let closing = false;
  return {
    address: postgres.address,
    onLost: (listener) => {
      client.on("end", () => {
        if (!closing) listener();
      });
    },
    close: async () => {
      closing = true;
      await postgres.stop();
      await client.end().catch(() => {});
    },
  };
}
