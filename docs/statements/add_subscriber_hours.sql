-- add_subscriber_hours: written by npm run generate.
-- $1 counts json
-- returns nothing

insert into subscriber_hours as hours
    (app_id, subscriber_id, hour, delivered_count, failed_count, total_ms)
  select counted.app_id, counted.subscriber_id, counted.hour, counted.delivered_count, counted.failed_count, counted.total_ms
  from json_to_recordset($1::json) counted (app_id uuid, subscriber_id uuid, hour timestamptz,
    delivered_count integer, failed_count integer, total_ms bigint)
  join subscribers on subscribers.app_id = counted.app_id and subscribers.id = counted.subscriber_id
  order by 1, 2, 3
  on conflict (app_id, subscriber_id, hour) do update set
    delivered_count = hours.delivered_count + excluded.delivered_count,
    failed_count = hours.failed_count + excluded.failed_count,
    total_ms = hours.total_ms + excluded.total_ms;
