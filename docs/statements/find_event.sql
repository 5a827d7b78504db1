-- find_event: written by npm run generate.
-- $1 appId uuid
-- $2 digest uuid
-- $3 envelopeSha256 bytea
-- returns id uuid, delivery_count integer, thread_id uuid or null, device_id uuid or null, same boolean or null

select report_ids.event_id as id, report_ids.delivery_count, threads.id as thread_id, device_id,
    case when threads.id is not null then sha256(envelope) = $3::bytea end as same
  from report_ids
  left join events on events.app_id = report_ids.app_id and events.id = report_ids.event_id
  left join threads on threads.app_id = events.app_id and threads.event_id = events.id
  where report_ids.app_id = $1::uuid and digest = $2::uuid;
