-- find_app_of_key_and_count_config: written by npm run generate.
-- $1 requests json
-- each request: n integer, key text, now timestamptz, address text
-- returns n integer, organisationId uuid, id uuid, keyId uuid, enabled boolean, replies boolean,
--   allowedOrigins text[] or null, settings jsonb, suspendedSince date or null, suspensionLapsed boolean,
--   filterDepth integer or null, hits bigint

with app as materialized (
    select request.n, request.now, 'config:' || app."keyId" || ':' || address as bucket, app.*
    from json_to_recordset($1::json) as request(
        n integer,
        key text,
        now timestamptz,
        address text)
    cross join lateral (
  select apps.organisation_id as "organisationId", apps.id, sdk_keys.id as "keyId", apps.enabled, apps.replies,
    apps.allowed_origins as "allowedOrigins", apps.settings,
    (
  select max(since) from suspensions
  where suspensions.organisation_id = apps.organisation_id and ended_at is null and ends_on > (request.now at time zone 'UTC')::date) as "suspendedSince",
    exists (
  select from suspensions
  where suspensions.organisation_id = apps.organisation_id and ended_at is null and ends_on <= (request.now at time zone 'UTC')::date) as "suspensionLapsed",
    (
    select max(case when (filter ->> 'newProblemsOnly')::boolean then 2 else 1 end) from subscribers
    where subscribers.app_id = apps.id and filter is not null and enabled) as "filterDepth"
  from sdk_keys join apps on apps.id = sdk_keys.app_id
  where sdk_keys.key = request.key and (sdk_keys.revoked_at is null or sdk_keys.revoked_at > request.now)) app
  ), hit as (
  insert into rate_limits as r (bucket, window_started_at, hits) select bucket, max(now), count(*) from app group by bucket order by bucket
  on conflict (bucket) do update set
    hits = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at
  )
  select app.n, app."organisationId", app.id, app."keyId", app.enabled, app.replies, app."allowedOrigins", app.settings,
    app."suspendedSince", app."suspensionLapsed", app."filterDepth",
    hit.hits + 1 - count(*) over (partition by bucket order by n desc) as hits
  from app join hit using (bucket);
