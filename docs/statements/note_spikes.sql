-- note_spikes: written by npm run generate.
-- $1 touched json
-- $2 now timestamptz
-- returns app_id uuid, problem_id uuid, rule_id uuid, is_news boolean

with touched as materialized (
    select * from json_to_recordset($1::json) as touched(
      app_id uuid, problem_id uuid, rule_id uuid, events integer, seen_at timestamptz, since timestamptz, since_id uuid,
      quiet_until timestamptz)
  ), exceeding as materialized (
    select touched.* from touched
    join problems on problems.app_id = touched.app_id and problems.id = touched.problem_id
    where (state <> 'muted' or muted_until <= $2::timestamptz) and events < (
      select count(*) from (
        select from problem_hashes h
        join event_summaries e on e.app_id = h.app_id and e.hash = h.hash
        where h.app_id = touched.app_id and h.problem_id = touched.problem_id
          and e.received_at > touched.since and e.event_id >= touched.since_id
        limit touched.events + 1) counted)
  )
  insert into problem_spikes as known (app_id, problem_id, rule_id, above_at, quiet_until)
  select app_id, problem_id, rule_id, seen_at, quiet_until from exceeding order by app_id, problem_id, rule_id
  on conflict (app_id, problem_id, rule_id) do update
    set above_at = greatest(known.above_at, excluded.above_at), quiet_until = greatest(known.quiet_until, excluded.quiet_until)
  returning app_id, problem_id, rule_id, old.quiet_until is null or old.quiet_until < new.above_at as is_news;
