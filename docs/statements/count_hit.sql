-- count_hit: written by npm run generate.
-- $1 bucket text
-- $2 now timestamptz
-- $3 rate integer
-- returns granted boolean or null, oldest_at_ms bigint or null

with hit as (
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (select $1::text, $2::timestamptz, 1, $3::integer) request(bucket, now, count, rate)
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
  returning bucket, granted, at_ms[2] as oldest_at_ms)
  select granted > 0 as granted, oldest_at_ms from hit;
