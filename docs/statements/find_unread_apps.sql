-- find_unread_apps: written by npm run generate.
-- $1 isDrawn boolean
-- returns app_id uuid, oldest_id uuid, event_count integer

with recursive oldest as (
    (select app_id, event_id from unread_events order by app_id, event_id limit 1)
    union all
    select next.app_id, next.event_id from oldest cross join lateral (
      select app_id, event_id from unread_events where app_id > oldest.app_id order by app_id, event_id limit 1) next
  ), first as materialized (
    select app_id, event_id, row_number() over (order by case when $1::boolean then random() end, event_id) as place
    from oldest order by place limit 200
  )
  select app_id, event_id as oldest_id, (select count(*)::integer from (
    select from unread_events where unread_events.app_id = first.app_id limit 200) counted) as event_count
  from first order by place;
