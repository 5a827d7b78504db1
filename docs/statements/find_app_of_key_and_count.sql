-- find_app_of_key_and_count: written by npm run generate.
-- $1 requests json
-- each request: n integer, key text, now timestamptz, address text, key_rate integer, address_rate integer
-- returns n integer, organisation_id uuid, id uuid, key_id uuid, number integer, enabled boolean, replies boolean,
--   allowed_origins text[] or null, settings jsonb, suspended_since date or null, suspension_lapsed boolean,
--   filter_depth integer or null, granted_by_key boolean, oldest_of_key_ms bigint or null, granted_by_address boolean,
--   oldest_of_address_ms bigint or null

with app as materialized (
    select request.n, request.now, key_rate, address_rate, 'key:' || app.key_id as key_bucket, 'address:' || address as address_bucket, app.*
    from json_to_recordset($1::json) as request(
        n integer,
        key text,
        now timestamptz,
        address text,
        key_rate integer,
        address_rate integer)
    cross join lateral (
  select apps.organisation_id, apps.id, sdk_keys.id as key_id, apps.number, apps.enabled, apps.replies,
    apps.allowed_origins, apps.settings,
    (
  select max(since) from suspensions
  where suspensions.organisation_id = apps.organisation_id and ended_at is null and ends_on > (request.now at time zone 'UTC')::date) as suspended_since,
    exists (
  select from suspensions
  where suspensions.organisation_id = apps.organisation_id and ended_at is null and ends_on <= (request.now at time zone 'UTC')::date) as suspension_lapsed,
    (
    select max(case when coalesce((filter ->> 'firstOfProblem')::boolean, (filter ->> 'newProblemsOnly')::boolean, false) then 2 else 1 end) from subscribers
    where subscribers.app_id = apps.id and filter is not null and enabled) as filter_depth
  from sdk_keys join apps on apps.id = sdk_keys.app_id
  where sdk_keys.key = request.key and (sdk_keys.revoked_at is null or sdk_keys.revoked_at > request.now)) app
  ), hit as (
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (
    select bucket, max(now), count(*), max(rate)
    from app, lateral (values (address_bucket, address_rate), (key_bucket, key_rate)) counted(bucket, rate)
    group by bucket order by bucket) request(bucket, now, count, rate)
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
  )
  select app.n, app.organisation_id, app.id, app.key_id, app.number, app.enabled, app.replies, app.allowed_origins, app.settings,
    app.suspended_since, app.suspension_lapsed, app.filter_depth,
    row_number() over (partition by key_bucket order by n) <= by_key.granted as granted_by_key,
    by_key.oldest_at_ms as oldest_of_key_ms,
    row_number() over (partition by address_bucket order by n) <= by_address.granted as granted_by_address,
    by_address.oldest_at_ms as oldest_of_address_ms
  from app
  join hit by_key on by_key.bucket = key_bucket
  join hit by_address on by_address.bucket = address_bucket;
