import { preparedStatement } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { countHitSql, retryAfterSeconds } from "../platform/rate-limit.ts";
import { hashTokenSecret, isTokenSecret } from "./token-secret.ts";

/** Who files a ticket: a live API token. */
export type Token = {
  organisationId: string;
  id: string;
  name: string;
  reachesAllProjects: boolean;
};

/** What an Idempotency-Key of this token stands for already. */
export type Replay = { requestSha256: Buffer; responseBody: string };

/** Everything that a request of the ticket API needs to know before its body is read, in one round trip. */
const authenticate = preparedStatement<{
  organisation_id: string;
  id: string;
  name: string;
  scope: string;
  permissions: string[];
  hits: number;
  window_started_at: Date;
  request_sha256: Buffer | null;
  response_body: string | null;
}>(
  "authenticate_token",
  `with token as materialized (
    select organisation_id, id, name, scope, permissions
    from tokens where secret_sha256 = $1 and revoked_at is null
  ), hit as (${countHitSql("'token:' || id", "$2::timestamptz", "from token")}
  ), used as (
    update tokens set last_used_at = $2 from token
    where tokens.organisation_id = token.organisation_id and tokens.id = token.id
      and (tokens.last_used_at is null or tokens.last_used_at < $2::timestamptz - interval '1 minute')
  )
  select token.organisation_id, token.id, token.name, token.scope, token.permissions,
    hit.hits, hit.window_started_at, record.request_sha256, record.response_body
  from token cross join hit
  left join idempotency_records record
    on record.organisation_id = token.organisation_id and record.token_id = token.id and record.key = $3`,
);

/**
 * Authenticates a bearer token, counts the request, checks the permission, and finds what its Idempotency-Key replays
 * (interface sections 5 and 8; contract section 2, steps 1 to 3 and 5).
 * Throws `invalid_api_token`, `rate_limit_exceeded` or `insufficient_scope`, in this order.
 */
export async function authenticateToken(
  { pool, clock, config }: Deps,
  authorization: string | undefined,
  permission: string,
  idempotencyKey: string | undefined,
): Promise<{ token: Token; replay: Replay | undefined }> {
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (!secret || !isTokenSecret(secret)) throw invalidToken();
  const now = clock.now();
  const [row] = await authenticate(pool, [hashTokenSecret(secret), now, idempotencyKey ?? null]);
  if (!row) throw invalidToken();

  if (row.hits > config.ticketRatePerMinute) {
    throw new Refusal("rate_limit_exceeded", {}, { "retry-after": `${retryAfterSeconds(row.window_started_at, now)}` });
  }
  if (!row.permissions.includes(permission)) throw new Refusal("insufficient_scope", { required: permission });
  return {
    token: {
      organisationId: row.organisation_id,
      id: row.id,
      name: row.name,
      reachesAllProjects: row.scope === "all",
    },
    replay:
      row.request_sha256 && row.response_body !== null
        ? { requestSha256: row.request_sha256, responseBody: row.response_body }
        : undefined,
  };
}

const invalidToken = () => new Refusal("invalid_api_token", {}, { "www-authenticate": "Bearer" });
