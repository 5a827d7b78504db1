-- search_problem_texts: written by npm run generate.
-- $1 organisationId uuid
-- $2 part text
-- $3 pattern text
-- returns app_id uuid, hash uuid, is_common boolean

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null),
  found as materialized (
    select app_id, hash from problem_texts
    where app_id = any(array(select id from mine)) and search_text ilike $2::text and search_text || '' ilike $3::text
    limit 2001
  )
  select distinct app_id, hash, (select count(*) from found) > 2000 as is_common from found;
