import { fileURLToPath } from "node:url";
import type pg from "pg";
import { systemClock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { sealingKeys } from "./config/seal.ts";
import { readSecret } from "./config/secret.ts";
import { onLostStatement, queryBuilder } from "./database/database.ts";
import { listen } from "./database/listen.ts";
import { createAnnouncer } from "./database/publish.ts";
import type { Basics, Deps } from "./deps.ts";
import { jobAnnouncer } from "./jobs/jobs.ts";
import type { Log } from "./observe/log.ts";
import { resolveHost } from "./outbound/outbound.ts";
import { openStore } from "./store/open-store.ts";

const webAppDir = fileURLToPath(new URL("../../../dashboard/dist", import.meta.url));

/** The dependencies for work that only needs the database. */
export const makeBasics = (pool: pg.Pool): Basics => ({ pool, db: queryBuilder(pool), clock: systemClock });

/**
 * Creates the dependencies of a server, except for those in `overrides`. Set `urls` again once the port is known;
 * `announced` resolves when all announcements so far were sent.
 */
export async function makeDeps(
  config: Config,
  pool: pg.Pool,
  log: Log,
  overrides: Partial<Deps> & Pick<Deps, "disks">,
): Promise<{ deps: Deps; announced: () => Promise<void> }> {
  const { announce, miss, idle } = createAnnouncer(pool, log);
  for (const written of new Set([pool, overrides.dashboard?.pool ?? pool])) onLostStatement(written, miss);
  const basics = makeBasics(pool);
  const secret = await readSecret(config);
  const deps: Deps = {
    ...basics,
    dashboard: basics,
    replicas: undefined,
    config,
    store: overrides.store ?? (await openStore(config)),
    rates: overrides.rates ?? (await openRates(config, log)),
    tracer: overrides.tracer ?? (await openTracer(config, log)),
    log,
    announce,
    miss,
    cells: {
      knownKeys: async () => [],
      isSweepHeld: async () => false,
      pools: () => new Map(),
    },
    draining: new AbortController().signal,
    cell: undefined,
    listening: listen((overrides.dashboard ?? basics).pool, log),
    announceJobs: jobAnnouncer(pool, log),
    resolveHost,
    secret,
    sealing: sealingKeys(secret, config.previousSecret),
    webAppDir,
    urls: publicUrls(config, ""),
    ...overrides,
  };
  return { deps, announced: idle };
}

/** Loads the Redis client only with REDIS_URL: it takes 40 MB and half a second at start. */
async function openRates({ redisUrl }: Config, log: Log): Promise<Deps["rates"]> {
  if (redisUrl === undefined) return undefined;
  const { openRedisRates } = await import("./limits/redis-rates.ts");
  return openRedisRates(redisUrl, log);
}

/** Loads OpenTelemetry only if a trace collector is configured. */
async function openTracer({ tracing }: Config, log: Log): Promise<Deps["tracer"]> {
  return tracing && (await import("./observe/open-tracer.ts")).openTracer(tracing, log);
}

/** The public addresses from the settings, or else the server's own. */
export const publicUrls = (config: Config, own: string): Deps["urls"] => ({
  base: config.baseUrl ?? own,
  ingest: config.ingestUrl ?? own,
});
