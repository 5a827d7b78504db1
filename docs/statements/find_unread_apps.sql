-- find_unread_apps: written by npm run generate.
-- returns app_id uuid, event_count integer

select app_id, count(*)::integer as event_count
  from (select app_id, row_number() over (order by event_id) as place from (select app_id, event_id from unread_events order by event_id limit 1000) oldest) placed
  group by app_id order by min(place);
