-- find_device_and_count: written by npm run generate.
-- $1 deviceId uuid
-- $2 now timestamptz
-- $3 counts boolean
-- returns granted boolean or null, oldest_at_ms bigint or null, allowed_origins text[] or null

with hit as (
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (select 'device:' || $1::uuid, $2::timestamptz, 1, 60 where $3::boolean) request(bucket, now, count, rate)
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
  select hit.granted > 0 as granted, hit.oldest_at_ms, (
    select allowed_origins from threads join apps on apps.id = threads.app_id and apps.deleted_at is null
    where threads.device_id = $1::uuid and message_count > 0 limit 1) as allowed_origins
  from (values (true)) asked left join hit on true;
