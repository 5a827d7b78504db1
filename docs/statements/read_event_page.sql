-- read_event_page: written by npm run generate.
-- $1 organisationId uuid
-- $2 tokenId uuid
-- $3 appId uuid or null
-- $4 after text or null
-- $5 afterId uuid
-- returns horizon text, permissions text[] or null, app_id uuid or null, event_id uuid or null,
--   transaction_id text or null, report_id text or null, received_at timestamptz or null, envelope bytea or null,
--   attachments json or null, problem json or null

with horizon as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as at,
      (select permissions from tokens where organisation_id = $1::uuid and id = $2::uuid and revoked_at is null)
  ), found as materialized (
    select event.* from apps, horizon cross join lateral (
      select app_id, id, transaction_id, least(octet_length(envelope), 262144) as bytes from events
      where events.app_id = apps.id and (transaction_id, id) > (coalesce($4::text::xid8, horizon.at), $5::uuid)
        and transaction_id < horizon.at
      order by transaction_id, id limit 1000) event
    where apps.organisation_id = $1::uuid and apps.deleted_at is null and ($3::uuid is null or apps.id = $3::uuid)
      and 'events:read' = any(permissions)
    order by transaction_id, id limit 1000
  ), sized as (
    select *, sum(bytes) over (order by transaction_id, id) - bytes as bytes_before from found
  ), page as (
    select events.* from sized join events using (app_id, id)
    where bytes_before < 4194304
  )
  select horizon.at::text as horizon, permissions, app_id, id as event_id, transaction_id::text as transaction_id,
    report_id, received_at, attachments,
    case when octet_length(envelope) <= 262144 then envelope end as envelope,
    (
    select json_build_object('id', problems.id, 'title', problems.title, 'isNew', first_event_id = page.id,
      'isBack', reopened_event_id is not distinct from page.id, 'events', problems.event_count,
      'users', least(problems.user_count, problems.event_count), 'isUserCountExact', problems.user_level = 0)
    from event_summaries summary
    join problem_hashes using (app_id, hash)
    join problems on problems.app_id = problem_hashes.app_id and problems.id = problem_hashes.problem_id
    where summary.app_id = page.app_id and summary.event_id = page.id) as problem
  from horizon left join page on true
  order by page.transaction_id, page.id;
