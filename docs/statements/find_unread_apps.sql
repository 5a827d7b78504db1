-- find_unread_apps: written by npm run generate.
-- $1 hasMaps boolean
-- $2 reader text
-- $3 now timestamptz
-- returns app_id uuid, oldest_id uuid, event_count integer, failures integer

with recursive oldest as (
    (select app_id, event_id from unread_events order by app_id, event_id limit 1)
    union all
    select next.app_id, next.event_id from oldest cross join lateral (
      select app_id, event_id from unread_events where app_id > oldest.app_id order by app_id, event_id limit 1) next
  ), free as materialized (
    select oldest.app_id, event_id, coalesce(failures, 0)::integer as failures, served_at,
      row_number() over (partition by organisation_id order by served_at nulls first, event_id) as round
    from oldest left join reading_turns on of_app = oldest.app_id left join apps on apps.id = oldest.app_id
    where (until is null or until <= $3::timestamptz or reader = $2::text) and exists (select from source_maps where source_maps.app_id = oldest.app_id and not replaced and unusable_reason is null) = $1::boolean
  ), first as materialized (
    select app_id, event_id, failures, row_number() over (order by round, served_at nulls first, event_id) as place
    from free order by place limit 200
  )
  select app_id, event_id as oldest_id, failures, (select count(*)::integer from (
    select from unread_events where unread_events.app_id = first.app_id limit 200) counted) as event_count
  from first order by place;
