import { once } from "node:events";
import { Cluster, Redis, type Result } from "ioredis";
import { Counter } from "prom-client";
import { describe } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { within } from "../outage.ts";
import { OwnRates } from "./own-rates.ts";
import { momentsMax, momentsMs, retryAfterSeconds, windowMs } from "./rate-limit.ts";

/** The timeout of a request to Redis. */
const answerMsMax = 250;
/** The pause after a timeout of Redis, so that only few requests wait for it. */
const restMs = 1000;
const firstAnswerMsMax = 2000;
const reconnectMsMax = 2000;

const insured = new Counter({
  name: "lodged_rate_limits_insured_total",
  help: "Requests that this process counted against its own rate limits, because Redis did not answer.",
  registers: [registry],
});

/** Rate limits that Redis or Valkey counts for all processes of a deployment. */
export type RedisRates = {
  /**
   * Counts a request in a bucket. Returns undefined if it is allowed, or else the whole seconds to wait, because
   * `perMinuteMax` requests were allowed in the last 60 seconds. If Redis does not answer, this process counts by
   * itself.
   */
  count: (bucket: string, perMinuteMax: number) => Promise<number | undefined>;
  close: () => void;
};

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** Returns null if the request is allowed, or else the time of the bucket's oldest request and the current time. */
    lodgeCount(bucket: string, perMinuteMax: number): Result<[oldestAtMs: number, nowMs: number] | null, Context>;
  }
}

/**
 * The Redis version of `countHitsSql`, with the clock of Redis. A bucket is a list of moments, each followed by the
 * number of requests allowed up to it. The first entry stands for everything before.
 */
const countScript = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate = tonumber(ARGV[1])
if redis.call('llen', KEYS[1]) == 0 then redis.call('rpush', KEYS[1], 0, 0) end
local oldest = redis.call('lindex', KEYS[1], 2)
while oldest and tonumber(oldest) <= now - ${windowMs} do
  redis.call('ltrim', KEYS[1], 2, -1)
  oldest = redis.call('lindex', KEYS[1], 2)
end
local latest = redis.call('lrange', KEYS[1], -2, -1)
local total = tonumber(latest[2])
if total - tonumber(redis.call('lindex', KEYS[1], 1)) >= rate then return {tonumber(oldest), now} end
local before = redis.call('lindex', KEYS[1], -4)
if tonumber(latest[1]) >= now or (rate > ${momentsMax} and before and tonumber(before) > now - ${momentsMs}) then
  redis.call('lset', KEYS[1], -2, math.max(now, tonumber(latest[1])))
  redis.call('lset', KEYS[1], -1, total + 1)
else redis.call('rpush', KEYS[1], now, total + 1) end
redis.call('pexpire', KEYS[1], ${windowMs})
return nil`;

/** Defines the command `lodgeCount` on a client. */
export const defineCount = (client: Redis | Cluster): void =>
  client.defineCommand("lodgeCount", { numberOfKeys: 1, lua: countScript });

/** Opens the Redis of REDIS_URL, which may become reachable later. */
export async function openRedisRates(url: string, log: Log): Promise<RedisRates> {
  const client = connect(url);
  defineCount(client);
  const own = new OwnRates();
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

  return {
    count: async (bucket, perMinuteMax) => {
      if (performance.now() >= restsUntil) {
        try {
          const full = await client.lodgeCount(`lodged:${bucket}`, perMinuteMax);
          found();
          return full ? retryAfterSeconds(...full) : undefined;
        } catch (error) {
          lost(error);
        }
      }
      insured.inc();
      return own.count(bucket, perMinuteMax, Date.now());
    },
    close: () => client.disconnect(),
  };
}

/** Connects to the Redis of REDIS_URL and returns its version. Throws the reason if it does not answer in time. */
export async function greetRedis(url: string, timeoutMs: number): Promise<string> {
  const client = connect(url);
  try {
    await within(timeoutMs, once(client, "ready"));
    return /^redis_version:(.*)$/m.exec(await client.info("server"))?.[1]?.trim() ?? "";
  } finally {
    client.on("error", () => {}); // errors of the abandoned connection
    client.disconnect();
  }
}

const clusterScheme = "redis+cluster://";

/** Commands fail immediately without a connection, instead of being queued. */
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
