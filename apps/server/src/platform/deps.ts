import type pg from "pg";
import type { Clock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import type { SealingKeys } from "./config/seal.ts";
import type { Database } from "./database/database.ts";
import type { Listening } from "./database/listen.ts";
import type { Announcer } from "./database/publish.ts";
import type { Replicas } from "./database/replicas.ts";
import type { RedisRates } from "./limits/redis-rates.ts";
import type { Log } from "./observe/log.ts";
import type { Tracer } from "./observe/tracing.ts";
import type { ResolveHost } from "./outbound/outbound.ts";
import type { Store } from "./store/store.ts";
import type { Disks } from "./store/watch-disks.ts";

/** The part of `Deps` that work on the database alone needs, as a command's. */
export type Basics = {
  /** Typed queries. */
  db: Database;
  /** The same connections, for the prepared statements of the hot paths. */
  pool: pg.Pool;
  clock: Clock;
};

/** Functions that work on all cells. */
export type OtherCells = {
  /** Those of these keys of the store that other cells know. Throws where one of them does not answer. */
  knownKeys: (keys: string[]) => Promise<Iterable<string>>;
  /** Whether a transaction of one of them keeps files that only it knows yet. Throws where one of them does not answer. */
  isSweepHeld: () => Promise<boolean>;
  /** The connections of each by its name; undefined where this process cannot serve it yet. */
  pools: () => ReadonlyMap<string, pg.Pool | undefined>;
};

/** The dependencies of use cases. Nothing in it is state that another process would have to know. */
export type Deps = Basics & {
  config: Config;
  /** The bytes of attachments. */
  store: Store;
  /** Counts requests against their rates with REDIS_URL; undefined if the database counts. */
  rates: RedisRates | undefined;
  /** Creates spans, if OTLP is configured. */
  tracer: Tracer | undefined;
  /** Whether there is room for more of them. */
  disks: Disks;
  /** The other cells of the installation, as far as the one that holds their directory has to do with them. */
  cells: OtherCells;
  /** Aborted once this server is asked to stop: it still serves, and tells proxies to go elsewhere. */
  draining: AbortSignal;
  /** The cell that this serves; undefined for the one of DATABASE_URL. */
  cell: string | undefined;
  /** Replaces `db` and `pool` in the dashboard's modules, so that no page makes a door wait. */
  dashboard: Pick<Basics, "db" | "pool">;
  /** Answers lists of the dashboard in place of the primary, with DATABASE_REPLICA_URLS. */
  replicas: Replicas | undefined;
  /** Tells the workers that jobs were added. */
  announceJobs: () => void;
  log: Log;
  /** Tells dashboards what was committed; `publish` does in the transaction. */
  announce: Announcer["announce"];
  /** Has all dashboards told to fetch: something may have been committed that nobody will announce. */
  miss: Announcer["miss"];
  /** Hears what all processes tell. */
  listening: Listening;
  /** Signs sessions and links; the same in every process. */
  secret: string;
  /** Encrypts and decrypts stored secrets; the same in every process. */
  sealing: SealingKeys;
  /** The folder of the dashboard's built files. */
  webAppDir: string;
  /** The addresses of a host name, asked anew for every connection to a receiver. */
  resolveHost: ResolveHost;
  /** The public addresses, without a slash at the end: of the settings, or of the port that was listened on. */
  urls: { base: string; ingest: string };
};
