-- make_problems: written by npm run generate.
-- $1 hashes json
-- returns app_id uuid, problem_id uuid, event_id uuid

with fresh as materialized (
    select request.*, uuidv7() as problem_id from json_to_recordset($1::json) as request(
      organisation_id uuid, app_id uuid, hash uuid, rule text, rule_version smallint, strings jsonb, kind text, title text,
      culprit text, seen_at timestamptz, event_id uuid)
    where not exists (
      select from problem_hashes known where known.app_id = request.app_id and known.hash = request.hash)
  ), hashed as (
    insert into problem_hashes (app_id, hash, problem_id, rule, rule_version, strings, first_seen_at, last_seen_at)
    select app_id, hash, problem_id, rule, rule_version, strings, seen_at, seen_at from fresh order by app_id, hash
    on conflict (app_id, hash) do nothing
    returning app_id, problem_id
  )
  insert into problems (organisation_id, app_id, id, kind, title, culprit, first_seen_at, first_event_id, last_seen_at,
    last_event_id)
  select organisation_id, app_id, problem_id, kind, title, culprit, seen_at, event_id, seen_at, event_id
  from fresh join hashed using (app_id, problem_id)
  returning app_id, id as problem_id, first_event_id as event_id;
