import type { Permission } from "@lodge/contract/roles";
import { batchedStatement } from "../../platform/database/batched-statement.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { countedColumns, refusalOfRate } from "../../platform/limits/limit-rate.ts";
import { countHitsSql } from "../../platform/limits/rate-limit.ts";
import { hashTokenSecret, isTokenSecret } from "./token-secret.ts";

/** The API token of a request. */
export type Token = {
  organisationId: string;
  id: string;
  name: string;
  reachesAllProjects: boolean;
};

/** The response stored under an Idempotency-Key of this token. */
export type Replay = { requestSha256: Buffer; responseBody: string; status: number };

const hitsSql = countHitsSql("select 'token:' || id, max(now), count(*), max(rate) from token group by id order by id");

/**
 * Reads everything that a request of the ticket API needs before its body, in one round trip. If Redis counts the
 * requests, the statement does not.
 */
const declareAuthentication = (name: string, counts: boolean) =>
  batchedStatement({
    name,
    columns: { secret_sha256: "bytea", now: "timestamptz", rate: "integer", key: "text?" },
    row: {
      organisation_id: "uuid",
      id: "uuid",
      name: "text",
      scope: "text",
      permissions: "text[]",
      ...countedColumns,
      request_sha256: "bytea?",
      response_body: "text?",
      response_status: "integer?",
    },
    text: (request) => `with token as materialized (
    select request.n, request.now, request.rate, request.key, found.* from ${request}
    cross join lateral (
      select organisation_id, id, name, scope, permissions
      from tokens where tokens.secret_sha256 = request.secret_sha256 and revoked_at is null) found
  )${counts ? `, hit as (${hitsSql}\n  )` : ""}, used as (
    update tokens set last_used_at = token.now from token
    where tokens.organisation_id = token.organisation_id and tokens.id = token.id
      and (tokens.last_used_at is null or tokens.last_used_at < token.now - interval '1 minute')
  )
  select token.n, token.organisation_id, token.id, token.name, token.scope, token.permissions,
    ${
      counts
        ? "row_number() over (partition by token.id order by token.n) <= hit.granted as granted, hit.oldest_at_ms"
        : "null::boolean as granted, null::bigint as oldest_at_ms"
    },
    record.request_sha256, record.response_body, record.response_status
  from token${counts ? " join hit on hit.bucket = 'token:' || token.id" : ""}
  left join lateral (
    select request_sha256, response_body, response_status from idempotency_records
    where organisation_id = token.organisation_id and token_id = token.id and idempotency_records.key = token.key
    limit 1) record on true`,
  });
const authenticateAndCount = declareAuthentication("authenticate_token", true);
const authenticate = declareAuthentication("authenticate_token_uncounted", false);

/**
 * Authenticates a bearer token, counts the request, checks the permission, and finds what its Idempotency-Key replays
 * (interface sections 5 and 8; contract section 2, steps 1 to 3 and 5).
 * Throws `invalid_api_token`, `rate_limit_exceeded` or `insufficient_scope`, in this order.
 */
export async function authenticateToken(
  deps: Deps,
  authorization: string | undefined,
  permission: Permission | null,
  idempotencyKey: string | undefined,
): Promise<{ token: Token; permissions: readonly string[]; replay: Replay | undefined }> {
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (!secret || !isTokenSecret(secret)) throw invalidToken();
  const { pool, clock, config, rates } = deps;
  const now = clock.now();
  const row = await (rates ? authenticate : authenticateAndCount).together(pool, {
    secret_sha256: `\\x${hashTokenSecret(secret).toString("hex")}`,
    now,
    rate: config.ticketRatePerMinute,
    key: idempotencyKey,
  });
  if (!row) throw invalidToken();

  const refusal = await refusalOfRate(deps, `token:${row.id}`, config.ticketRatePerMinute, row, now);
  if (refusal) throw refusal;
  if (permission && !row.permissions.includes(permission))
    throw new Refusal("insufficient_scope", { required: permission });
  return {
    token: {
      organisationId: row.organisation_id,
      id: row.id,
      name: row.name,
      reachesAllProjects: row.scope === "all",
    },
    permissions: row.permissions,
    replay:
      row.request_sha256 && row.response_body !== null && row.response_status !== null
        ? { requestSha256: row.request_sha256, responseBody: row.response_body, status: row.response_status }
        : undefined,
  };
}

/** The refusal of a token that is not valid, whatever the reason (interface section 5). */
export const invalidToken = () => new Refusal("invalid_api_token", {}, { "www-authenticate": "Bearer" });
