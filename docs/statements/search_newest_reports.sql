-- search_newest_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 pattern text
-- returns id uuid, kind text, title text, app_id uuid, app_name text, at timestamptz

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null)
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at
  from mine cross join lateral (
    select * from (
      select event_id, received_at, kind, title, search_text from event_summaries
      where app_id = mine.id and hash is null order by received_at desc, event_id desc limit 500) next
    where search_text ilike $2::text order by received_at desc, event_id desc limit 5) newest
  order by received_at desc, event_id desc limit 5;
