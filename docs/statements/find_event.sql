-- find_event: written by npm run generate.
-- $1 appId uuid
-- $2 reportId text
-- $3 reportDigest bytea
-- $4 envelopeSha256 bytea
-- returns id uuid, delivery_count integer, thread_id uuid or null, device_id uuid or null, same boolean or null

select events.id, delivery_count, threads.id as thread_id, device_id,
    case when threads.id is not null then sha256(envelope) = $4::bytea end as same
  from events left join threads on threads.app_id = events.app_id and threads.event_id = events.id
  where events.app_id = $1::uuid and report_id = $2::text
  union all
  select event_id, delivery_count, null, null, null from forgotten_reports
  where app_id = $1::uuid and report_digest = $3::bytea
  limit 1;
