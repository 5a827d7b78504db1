-- find_named_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 text text
-- returns id uuid, kind text, title text, app_id uuid, app_name text

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null),
  named as materialized (
    select report_ids.app_id, event_id as id from mine join report_ids on app_id = id
      and digest = left(encode(sha256(convert_to(id::text || $2::text, 'UTF8')), 'hex'), 32)::uuid -- see reportDigest
  )
  select reports.event_id as id, reports.kind, reports.title, mine.id as app_id, mine.name as app_name
  from named
  join event_summaries reports on reports.app_id = named.app_id and reports.event_id = named.id
  join mine on mine.id = reports.app_id
  order by reports.received_at desc, reports.event_id desc limit 5;
