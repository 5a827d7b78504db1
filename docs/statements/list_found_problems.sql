-- list_found_problems: written by npm run generate.
-- $1 organisationId uuid
-- $2 appIds uuid[]
-- $3 hashes uuid[]
-- returns id uuid, title text, app_id uuid, app_name text, at timestamptz

select problems.id, problems.title, apps.id as app_id, apps.name as app_name, problems.last_seen_at as at
  from (
    select distinct hashes.app_id, hashes.problem_id from unnest($2::uuid[], $3::uuid[]) as found (app_id, hash)
    join problem_hashes hashes on hashes.app_id = found.app_id and hashes.hash = found.hash) matching
  join problems on problems.app_id = matching.app_id and problems.id = matching.problem_id
  join apps on apps.organisation_id = $1::uuid and apps.id = problems.app_id
  order by problems.last_seen_at desc, problems.id desc limit 5;
