import { once } from "node:events";
import { Cluster, Redis } from "ioredis";
import { Counter } from "prom-client";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { describe } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { within } from "../outage.ts";

const windowSeconds = 60;
/** A request waits so long for Redis, and no longer. */
const answerMsMax = 250;
/** Who did not answer is not asked for so long, so that only few requests wait for it. */
const restMs = 1000;
const firstAnswerMsMax = 2000;
const reconnectMsMax = 2000;

const insured = new Counter({
  name: "lodged_rate_limits_insured_total",
  help: "Requests that this process counted by itself against their rate, because Redis did not answer.",
  registers: [registry],
});

/** Rates that Redis or Valkey counts for all processes of a deployment. */
export type RedisRates = {
  /**
   * Counts a request in a bucket: undefined, or, where there were more than `perMinuteMax` in its minute, the whole seconds
   * until that ends. Where Redis does not answer, this process counts by itself, and nobody is refused for that.
   */
  count: (bucket: string, perMinuteMax: number) => Promise<number | undefined>;
  close: () => void;
};

/** Opens the Redis of REDIS_URL. One that is away now may come later. */
export async function openRedisRates(url: string, log: Log): Promise<RedisRates> {
  const client = connect(url);
  const limiters = new Map<number, { shared: RateLimiterRedis; own: RateLimiterMemory }>();
  let isAway = false;
  let restsUntil = 0;

  const lost = (error: unknown) => {
    restsUntil = performance.now() + restMs;
    if (!isAway) log.warn({ reason: describe(error) }, "Redis does not answer: each process counts rates by itself");
    isAway = true;
  };
  const found = () => {
    if (isAway) log.info("Redis answers again: all processes count rates together");
    isAway = false;
  };
  client.on("error", lost);
  client.on("ready", () => {
    restsUntil = 0;
  });
  await within(firstAnswerMsMax, once(client, "ready")).catch(lost);

  const limitersOf = (points: number) => {
    const known = limiters.get(points);
    if (known) return known;
    const options = { points, duration: windowSeconds };
    const made = {
      shared: new RateLimiterRedis({ ...options, storeClient: client, keyPrefix: "lodged" }),
      own: new RateLimiterMemory(options),
    };
    limiters.set(points, made);
    return made;
  };

  return {
    count: async (bucket, perMinuteMax) => {
      const { shared, own } = limitersOf(perMinuteMax);
      if (performance.now() >= restsUntil) {
        try {
          const waitSeconds = await waitOf(shared.consume(bucket));
          found();
          return waitSeconds;
        } catch (error) {
          lost(error);
        }
      }
      insured.inc();
      return waitOf(own.consume(bucket));
    },
    close: () => client.disconnect(),
  };
}

/** A limiter refuses by throwing what it knows of the bucket. */
async function waitOf(consumed: Promise<RateLimiterRes>): Promise<number | undefined> {
  try {
    await consumed;
    return undefined;
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
  }
}

const clusterScheme = "redis+cluster://";

/** Commands fail at once where there is no connection: they are not kept for later. */
function connect(url: string): Redis | Cluster {
  const retryStrategy = (tries: number) => Math.min(tries * 50, reconnectMsMax);
  const options = { maxRetriesPerRequest: 0, commandTimeout: answerMsMax };
  if (!url.startsWith(clusterScheme)) return new Redis(url, { ...options, enableOfflineQueue: false, retryStrategy });
  const [, credentials = "", hosts = ""] = /^(?:(.*)@)?([^/]*)/.exec(url.slice(clusterScheme.length)) ?? [];
  const [username = "", password = ""] = credentials.split(":").map(decodeURIComponent);
  return new Cluster(
    hosts.split(",").map((host) => `redis://${host}`),
    {
      enableOfflineQueue: false,
      clusterRetryStrategy: retryStrategy,
      redisOptions: { ...options, ...(password && { username, password }) },
    },
  );
}
