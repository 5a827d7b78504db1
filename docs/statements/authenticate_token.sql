-- authenticate_token: written by npm run generate.
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
  ), hit as (
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (select 'token:' || id, max(now), count(*), max(rate) from token group by id order by id) request(bucket, now, count, rate)
  ) request(bucket, now_ms, count, rate)
  on conflict (bucket) do update set
    counted_at_ms = excluded.counted_at_ms, per_minute_max = excluded.per_minute_max,
    granted = least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))),
    at_ms = 0::bigint || case when least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))) = 0 then r.at_ms[width_bucket(excluded.counted_at_ms - 60000, r.at_ms) + 1:width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]
      else r.at_ms[width_bucket(excluded.counted_at_ms - 60000, r.at_ms) + 1:width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - case when r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] >= excluded.counted_at_ms
        or (excluded.per_minute_max > 100 and r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - 1] > excluded.counted_at_ms - 1200)
      then 1 else 0 end] || greatest(excluded.counted_at_ms, r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]) end,
    total = case when least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))) = 0 then r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms):width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]
      else r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms):width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - case when r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] >= excluded.counted_at_ms
        or (excluded.per_minute_max > 100 and r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - 1] > excluded.counted_at_ms - 1200)
      then 1 else 0 end] || (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] + least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)])))) end
  returning bucket, granted, at_ms[2] as oldest_at_ms
  ), used as (
    update tokens set last_used_at = token.now from token
    where tokens.organisation_id = token.organisation_id and tokens.id = token.id
      and (tokens.last_used_at is null or tokens.last_used_at < token.now - interval '1 minute')
  )
  select token.n, token.organisation_id, token.id, token.name, token.scope, token.permissions,
    row_number() over (partition by token.id order by token.n) <= hit.granted as granted, hit.oldest_at_ms,
    record.request_sha256, record.response_body, record.response_status
  from token join hit on hit.bucket = 'token:' || token.id
  left join lateral (
    select request_sha256, response_body, response_status from idempotency_records
    where organisation_id = token.organisation_id and token_id = token.id and idempotency_records.key = token.key
    limit 1) record on true;
