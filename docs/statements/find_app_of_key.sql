-- find_app_of_key: written by npm run generate.
-- $1 requests json
-- each request: n integer, key text, now timestamptz
-- returns n integer, organisation_id uuid, id uuid, key_id uuid, number integer, enabled boolean, replies boolean,
--   allowed_origins text[] or null, settings jsonb, suspended_since date or null, suspension_lapsed boolean,
--   filter_depth integer or null

select request.n, app.*
  from json_to_recordset($1::json) as request(
        n integer,
        key text,
        now timestamptz) cross join lateral (
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
  where sdk_keys.key = request.key and (sdk_keys.revoked_at is null or sdk_keys.revoked_at > request.now)) app;
