import { dayOf } from "../../people/installs/month-sql.ts";
import { suspendedSince, suspensionLapsed } from "../../people/installs/suspend.ts";
import { batchedStatement } from "../../platform/database/batched-statement.ts";
import { inCamelCase, narrowed } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { addressBucket } from "../../platform/limits/address-bucket.ts";
import { rateExceeded } from "../../platform/limits/limit-rate.ts";
import { countHitsSql, retryAfterSeconds } from "../../platform/limits/rate-limit.ts";
import { filterDepthSql } from "../subscribers/filter-sql.ts";
import { isSdkKey } from "./sdk-key.ts";

/** The app that a request belongs to: the owner of its SDK key. */
export type App = {
  organisationId: string;
  id: string;
  keyId: string;
  /** The number at the end of the app's DSN. */
  number: number;
  enabled: boolean;
  replies: boolean;
  allowedOrigins: string[] | null;
  settings: Record<string, unknown>;
  /** The day since which its organisation's ingestion is suspended (YYYY-MM-DD), or null. */
  suspendedSince: string | null;
  /** Whether a suspension has ended with its month, and the end is not recorded yet. */
  suspensionLapsed: boolean;
  /**
   * The knowledge about a report that the subscribers' filters need: null for nothing, 1 for its facets, 2 for its
   * problem as well.
   */
  filterDepth: number | null;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The app of a request to the ingestion endpoint, once it is known. */
    app: App | undefined;
  }
}

const appOfRequest = `
  select apps.organisation_id, apps.id, sdk_keys.id as key_id, apps.number, apps.enabled, apps.replies,
    apps.allowed_origins, apps.settings,
    ${suspendedSince("apps.organisation_id", dayOf("request.now"))} as suspended_since,
    ${suspensionLapsed("apps.organisation_id", dayOf("request.now"))} as suspension_lapsed,
    ${filterDepthSql("apps.id")} as filter_depth
  from sdk_keys join apps on apps.id = sdk_keys.app_id
  where sdk_keys.key = request.key and (sdk_keys.revoked_at is null or sdk_keys.revoked_at > request.now)`;

const appColumns = {
  organisation_id: "uuid",
  id: "uuid",
  key_id: "uuid",
  number: "integer",
  enabled: "boolean",
  replies: "boolean",
  allowed_origins: "text[]?",
  settings: narrowed<App["settings"]>("jsonb"),
  suspended_since: "date?",
  suspension_lapsed: "boolean",
  filter_depth: "integer?",
} as const;

const findApp = batchedStatement({
  name: "find_app_of_key",
  columns: { key: "text", now: "timestamptz" },
  row: appColumns,
  text: (request) => `select request.n, app.*
  from ${request} cross join lateral (${appOfRequest}) app`,
});

const findAppAndCount = batchedStatement({
  name: "find_app_of_key_and_count",
  columns: { key: "text", now: "timestamptz", address: "text", key_rate: "integer", address_rate: "integer" },
  row: {
    ...appColumns,
    granted_by_key: "boolean",
    oldest_of_key_ms: "bigint?",
    granted_by_address: "boolean",
    oldest_of_address_ms: "bigint?",
  },
  text: (request) => `with app as materialized (
    select request.n, request.now, key_rate, address_rate, 'key:' || app.key_id as key_bucket, 'address:' || address as address_bucket, app.*
    from ${request}
    cross join lateral (${appOfRequest}) app
  ), hit as (${countHitsSql(`
    select bucket, max(now), count(*), max(rate)
    from app, lateral (values (address_bucket, address_rate), (key_bucket, key_rate)) counted(bucket, rate)
    group by bucket order by bucket`)}
  )
  select app.n, app.organisation_id, app.id, app.key_id, app.number, app.enabled, app.replies, app.allowed_origins, app.settings,
    app.suspended_since, app.suspension_lapsed, app.filter_depth,
    row_number() over (partition by key_bucket order by n) <= by_key.granted as granted_by_key,
    by_key.oldest_at_ms as oldest_of_key_ms,
    row_number() over (partition by address_bucket order by n) <= by_address.granted as granted_by_address,
    by_address.oldest_at_ms as oldest_of_address_ms
  from app
  join hit by_key on by_key.bucket = key_bucket
  join hit by_address on by_address.bucket = address_bucket`,
});

const findAppAndCountConfig = batchedStatement({
  name: "find_app_of_key_and_count_config",
  columns: { key: "text", now: "timestamptz", address: "text", rate: "integer" },
  row: { ...appColumns, granted: "boolean" },
  text: (request) => `with app as materialized (
    select request.n, request.now, rate, 'config:' || app.key_id || ':' || address as bucket, app.*
    from ${request}
    cross join lateral (${appOfRequest}) app
  ), hit as (${countHitsSql("select bucket, max(now), count(*), max(rate) from app group by bucket order by bucket")}
  )
  select app.n, app.organisation_id, app.id, app.key_id, app.number, app.enabled, app.replies, app.allowed_origins, app.settings,
    app.suspended_since, app.suspension_lapsed, app.filter_depth,
    row_number() over (partition by bucket order by n) <= hit.granted as granted
  from app join hit using (bucket)`,
});

/**
 * Finds the app of an SDK key (interface section 5), in one round trip. Does not count the request. Throws
 * `invalid_sdk_key`.
 */
export async function authenticateKey({ pool, clock }: Deps, key: string | undefined): Promise<App> {
  const app = await findApp.together(pool, { key: requireKey(key), now: clock.now() });
  if (!app) throw invalidKey();
  return inCamelCase(app);
}

/**
 * As `authenticateKey`, for ingestion: where LODGE_INGEST_RATE_LIMITS is on, counts the request by key and by source
 * address (interface section 8). `refusal` is a `rate_limit_exceeded` if either limit is used up.
 */
export async function authenticateAndCount(
  deps: Deps,
  key: string | undefined,
  address: string,
): Promise<{ app: App; refusal: Refusal | undefined }> {
  const { config, pool, clock, rates } = deps;
  if (!config.ingestRateLimits) return { app: await authenticateKey(deps, key), refusal: undefined };
  if (rates) {
    const app = await authenticateKey(deps, key);
    return {
      app,
      refusal: longestOf([
        await rates.count(`key:${app.keyId}`, config.ingestKeyRatePerMinute),
        await rates.count(`address:${addressBucket(address)}`, config.ingestIpRatePerMinute),
      ]),
    };
  }

  const now = clock.now();
  const row = await findAppAndCount.together(pool, {
    key: requireKey(key),
    now,
    address: addressBucket(address),
    key_rate: config.ingestKeyRatePerMinute,
    address_rate: config.ingestIpRatePerMinute,
  });
  if (!row) throw invalidKey();
  const { grantedByKey, oldestOfKeyMs, grantedByAddress, oldestOfAddressMs, ...app } = inCamelCase(row);
  const waitOf = (granted: boolean, oldestMs: number | null) =>
    granted ? undefined : retryAfterSeconds(oldestMs ?? now.getTime(), now.getTime());
  return {
    app,
    refusal: longestOf([waitOf(grantedByKey, oldestOfKeyMs), waitOf(grantedByAddress, oldestOfAddressMs)]),
  };
}

/** The refusal for the longest of several waits, or undefined if no wait is needed. */
function longestOf(waitsSeconds: (number | undefined)[]): Refusal | undefined {
  const longest = Math.max(0, ...waitsSeconds.map((seconds) => seconds ?? 0));
  return longest > 0 ? rateExceeded(longest) : undefined;
}

/**
 * As `authenticateKey`, for a request that would count an install (contract section 3): `mayCount` says whether the
 * rate limit of its key and address, which is always on, allows it.
 */
export async function authenticateAndCountConfig(
  deps: Deps,
  key: string | undefined,
  address: string,
): Promise<{ app: App; mayCount: boolean }> {
  const { config, pool, clock, rates } = deps;
  if (rates) {
    const app = await authenticateKey(deps, key);
    const bucket = `config:${app.keyId}:${addressBucket(address)}`;
    return { app, mayCount: (await rates.count(bucket, config.configRatePerMinute)) === undefined };
  }
  const row = await findAppAndCountConfig.together(pool, {
    key: requireKey(key),
    now: clock.now(),
    address: addressBucket(address),
    rate: config.configRatePerMinute,
  });
  if (!row) throw invalidKey();
  const { granted: mayCount, ...app } = row;
  return { app: inCamelCase(app), mayCount };
}

/** The token of an `Authorization: Bearer` header, or undefined. */
export const bearerKey = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

function requireKey(key: string | undefined): string {
  if (key === undefined || !isSdkKey(key)) throw invalidKey();
  return key;
}

/** The refusal of a request without an SDK key, or with one that is not accepted. */
export const invalidKey = () => new Refusal("invalid_sdk_key", {}, { "www-authenticate": "Bearer" });
