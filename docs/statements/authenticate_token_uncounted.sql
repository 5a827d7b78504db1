-- authenticate_token_uncounted: written by npm run generate.
-- $1 requests json
-- each request: n integer, secret_sha256 bytea, now timestamptz, rate integer, key text or null
-- returns n integer, organisation_id uuid, id uuid, name text, scope text, permissions text[],
--   granted boolean or null, oldest_at_ms bigint or null, request_sha256 bytea or null, response_body text or null,
--   response_status integer or null

with token as materialized (
    select request.n, request.now, request.rate, request.key, found.* from json_to_recordset($1::json) as request(
        n integer,
        secret_sha256 bytea,
        now timestamptz,
        rate integer,
        key text)
    cross join lateral (
      select organisation_id, id, name, scope, permissions
      from tokens where tokens.secret_sha256 = request.secret_sha256 and revoked_at is null) found
  ), used as (
    update tokens set last_used_at = token.now from token
    where tokens.organisation_id = token.organisation_id and tokens.id = token.id
      and (tokens.last_used_at is null or tokens.last_used_at < token.now - interval '1 minute')
  )
  select token.n, token.organisation_id, token.id, token.name, token.scope, token.permissions,
    null::boolean as granted, null::bigint as oldest_at_ms,
    record.request_sha256, record.response_body, record.response_status
  from token
  left join lateral (
    select request_sha256, response_body, response_status from idempotency_records
    where organisation_id = token.organisation_id and token_id = token.id and idempotency_records.key = token.key
    limit 1) record on true;
