-- count_hit: written by npm run generate.
-- $1 bucket text
-- $2 now timestamptz
-- returns bucket text, hits integer, window_started_at timestamptz

insert into rate_limits as r (bucket, window_started_at, hits) select $1::text, $2::timestamptz, 1
  on conflict (bucket) do update set
    hits = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.hits + excluded.hits else excluded.hits end,
    window_started_at = case when r.window_started_at > excluded.window_started_at - interval '1 minute'
      and r.window_started_at <= excluded.window_started_at + interval '5 seconds'
      then r.window_started_at else excluded.window_started_at end
  returning bucket, hits, window_started_at;
