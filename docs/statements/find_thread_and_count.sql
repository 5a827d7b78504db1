-- find_thread_and_count: written by npm run generate.
-- $1 threadId uuid
-- $2 now timestamptz
-- $3 counts boolean
-- returns app_id uuid, allowed_origins text[] or null, hits integer or null, window_started_at timestamptz or null

with thread as materialized (
    select threads.app_id, apps.allowed_origins, threads.id from threads join apps on apps.id = threads.app_id
    where threads.id = $1::uuid
  ), hit as (
  insert into rate_limits as r (bucket, window_started_at, hits) select 'thread:' || id, $2::timestamptz, 1 from thread where $3::boolean
  on conflict (bucket) do update set
    hits = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at)
  select thread.app_id, thread.allowed_origins, hit.hits, hit.window_started_at from thread left join hit on true;
