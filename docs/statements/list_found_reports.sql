-- list_found_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 ids uuid[]
-- returns id uuid, kind text, title text, app_id uuid, app_name text, at timestamptz

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null)
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at
  from mine join event_summaries on app_id = mine.id and event_id = any($2::uuid[])
  order by received_at desc, event_id desc limit 5;
