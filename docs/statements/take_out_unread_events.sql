-- take_out_unread_events: written by npm run generate.
-- $1 ofApps uuid[]
-- $2 appIds uuid[]
-- $3 eventIds uuid[]
-- returns app_id uuid, event_id uuid

with held as materialized (
    select app_id from unnest($2::uuid[]) as app_id where pg_try_advisory_xact_lock(hashtextextended('lodge read events ' || app_id, 0))
  )
  delete from unread_events using unnest($1::uuid[], $3::uuid[]) as taken (app_id, event_id), held
  where unread_events.app_id = taken.app_id and unread_events.event_id = taken.event_id and held.app_id = taken.app_id
  returning unread_events.app_id, unread_events.event_id;
