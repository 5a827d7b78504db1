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

/** The part of `Deps` for work that only needs the database, such as a command. */
export type Basics = {
  /** Typed queries. */
  db: Database;
  /** The same connections, for the prepared statements of the hot paths. */
  pool: pg.Pool;
  clock: Clock;
};

/** Access to the other cells. */
export type OtherCells = {
  /** The store keys among these that other cells use. Throws if a cell does not answer. */
  knownKeys: (keys: string[]) => Promise<Iterable<string>>;
  /** Whether an open transaction of a cell has files that others cannot see yet. Throws if a cell does not answer. */
  isSweepHeld: () => Promise<boolean>;
  /** The connections of each cell by name; undefined if this process cannot serve it yet. */
  pools: () => ReadonlyMap<string, pg.Pool | undefined>;
};

/** The dependencies of use cases. Contains no state that other processes need. */
export type Deps = Basics & {
  config: Config;
  /** The bytes of attachments. */
  store: Store;
  /** Counts rate limits in Redis; undefined without REDIS_URL, when the database counts. */
  rates: RedisRates | undefined;
  /** Creates spans; undefined if OTLP is not configured. */
  tracer: Tracer | undefined;
  /** The free space for attachments and the database. */
  disks: Disks;
  /** The other cells of the installation, for the home cell. */
  cells: OtherCells;
  /** Aborted when this server is asked to stop. It still serves requests, but is no longer ready for proxies. */
  draining: AbortSignal;
  /** The name of the cell; undefined for the one of DATABASE_URL. */
  cell: string | undefined;
  /** Replaces `db` and `pool` in the dashboard's modules, so that pages cannot block the APIs. */
  dashboard: Pick<Basics, "db" | "pool">;
  /** Answers lists of the dashboard in place of the primary, with DATABASE_REPLICA_URLS. */
  replicas: Replicas | undefined;
  /** Tells the workers that jobs were added. */
  announceJobs: () => void;
  log: Log;
  /** Tells dashboards about a committed change. In a transaction, use `publish`. */
  announce: Announcer["announce"];
  /** Tells all dashboards to fetch what they show, because a committed change may never be announced. */
  miss: Announcer["miss"];
  /** Receives the messages of all processes. */
  listening: Listening;
  /** Signs sessions and links; the same in every process. */
  secret: string;
  /** Encrypts and decrypts stored secrets; the same in every process. */
  sealing: SealingKeys;
  /** The folder of the dashboard's built files. */
  webAppDir: string;
  /** Resolves a host name. Called for every connection to a receiver. */
  resolveHost: ResolveHost;
  /** The public addresses without a trailing slash, from the settings or from the port. */
  urls: { base: string; ingest: string };
};
