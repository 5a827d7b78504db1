-- look_up_single_reports: written by npm run generate.
-- $1 appId uuid
-- $2 part text
-- $3 pattern text
-- $4 facets text[]
-- $5 from timestamptz or null
-- $6 until timestamptz or null
-- $7 afterAt timestamptz or null
-- $8 afterId uuid or null
-- returns event_id uuid, app_id uuid, problem_id uuid or null, kind text, title text, message text,
--   environment text or null, version text or null, user text or null, attachment_count integer,
--   received_at timestamptz

with found as materialized (
    select * from event_summaries where app_id = $1::uuid and hash is null and (octet_length(search_text) <= 500 and search_text ilike (select $2::text) or octet_length(search_text) > 500 and search_text ilike (select $2::text))
    and search_text || '' ilike (select $3::text)
  )
  select 
  e.event_id, e.app_id, e.kind, e.title, e.message, e.environment, e.version,
  coalesce(e.user_name, e.user_email, e.user_id) as user, e.attachment_count::integer, e.received_at,
  (select problem_id from problem_hashes where problem_hashes.app_id = e.app_id and problem_hashes.hash = e.hash) as problem_id from found e
  where facets @> $4::text[] and ($5::timestamptz is null or received_at >= $5::timestamptz) and ($6::timestamptz is null or received_at < $6::timestamptz)
    and ($8::uuid is null or (received_at, event_id) < ($7::timestamptz, $8::uuid))
  order by received_at desc, event_id desc limit 51;
