-- search_single_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 part text
-- $3 pattern text
-- returns id uuid, kind text, title text, app_id uuid, app_name text, at timestamptz, is_common boolean

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null),
  found as materialized (
    select app_id, event_id, received_at, kind, title from event_summaries
    where app_id = any(array(select id from mine)) and hash is null and (octet_length(search_text) <= 500 and search_text ilike $2::text or octet_length(search_text) > 500 and search_text ilike $2::text)
    and search_text || '' ilike $3::text
    limit 2001
  )
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at,
    (select count(*) from found) > 2000 as is_common
  from found join mine on mine.id = found.app_id
  order by received_at desc, event_id desc limit 5;
