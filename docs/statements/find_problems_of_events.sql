-- find_problems_of_events: written by npm run generate.
-- $1 appIds uuid[]
-- $2 eventIds uuid[]
-- returns event_id uuid, is_unread boolean, problem json or null

select id as event_id, exists (
        select from unread_events where unread_events.app_id = told.app_id and unread_events.event_id = told.id) as is_unread,
      (
    select json_build_object('id', problems.id, 'title', problems.title, 'isNew', first_event_id = told.id,
      'isBack', reopened_event_id is not distinct from told.id, 'events', problems.event_count,
      'users', least(problems.user_count, problems.event_count), 'isUserCountExact', problems.user_level = 0)
    from event_summaries summary
    join problem_hashes using (app_id, hash)
    join problems on problems.app_id = problem_hashes.app_id and problems.id = problem_hashes.problem_id
    where summary.app_id = told.app_id and summary.event_id = told.id) as problem
    from unnest($1::uuid[], $2::uuid[]) as told (app_id, id);
