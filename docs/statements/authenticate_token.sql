-- authenticate_token: written by npm run generate.
-- $1 requests json
-- each request: n integer, secret_sha256 bytea, now timestamptz, key text or null
-- returns n integer, organisation_id uuid, id uuid, name text, scope text, permissions text[], hits bigint or null,
--   window_started_at timestamptz or null, request_sha256 bytea or null, response_body text or null,
--   response_status integer or null

with token as materialized (
    select request.n, request.now, request.key, found.* from json_to_recordset($1::json) as request(
        n integer,
        secret_sha256 bytea,
        now timestamptz,
        key text)
    cross join lateral (
      select organisation_id, id, name, scope, permissions
      from tokens where tokens.secret_sha256 = request.secret_sha256 and revoked_at is null) found
  ), hit as (
  insert into rate_limits as r (bucket, window_started_at, hits) select 'token:' || id, max(now), count(*) from token group by id order by id
  on conflict (bucket) do update set
    hits = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at
  ), used as (
    update tokens set last_used_at = token.now from token
    where tokens.organisation_id = token.organisation_id and tokens.id = token.id
      and (tokens.last_used_at is null or tokens.last_used_at < token.now - interval '1 minute')
  )
  select token.n, token.organisation_id, token.id, token.name, token.scope, token.permissions,
    hit.hits + 1 - count(*) over (partition by token.id order by token.n desc) as hits, hit.window_started_at,
    record.request_sha256, record.response_body, record.response_status
  from token join hit on hit.bucket = 'token:' || token.id
  left join lateral (
    select request_sha256, response_body, response_status from idempotency_records
    where organisation_id = token.organisation_id and token_id = token.id and idempotency_records.key = token.key
    limit 1) record on true;
