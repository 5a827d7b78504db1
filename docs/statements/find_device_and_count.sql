-- find_device_and_count: written by npm run generate.
-- $1 deviceId uuid
-- $2 now timestamptz
-- $3 counts boolean
-- returns hits integer or null, window_started_at timestamptz or null, allowed_origins text[] or null

with hit as (
  insert into rate_limits as r (bucket, window_started_at, hits) select 'device:' || $1::uuid, $2::timestamptz, 1 where $3::boolean
  on conflict (bucket) do update set
    hits = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at)
  select hit.hits, hit.window_started_at, (
    select allowed_origins from threads join apps on apps.id = threads.app_id
    where threads.device_id = $1::uuid and message_count > 0 limit 1) as allowed_origins
  from (values (true)) asked left join hit on true;
