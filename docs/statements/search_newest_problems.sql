-- search_newest_problems: written by npm run generate.
-- $1 organisationId uuid
-- $2 pattern text
-- returns id uuid, title text, app_id uuid, app_name text, at timestamptz

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null)
  select newest.id, title, mine.id as app_id, mine.name as app_name, last_seen_at as at
  from mine cross join lateral (
    select * from (
      select id, title, last_seen_at from problems where app_id = mine.id
      order by last_seen_at desc, id desc limit 500) next
    where exists (
      select from problem_hashes h join problem_texts t on t.app_id = h.app_id and t.hash = h.hash
      where h.app_id = mine.id and h.problem_id = next.id and t.search_text || '' ilike $2::text offset 0)
    order by last_seen_at desc, id desc limit 5) newest
  order by last_seen_at desc, newest.id desc limit 5;
