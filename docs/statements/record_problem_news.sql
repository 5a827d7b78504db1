-- record_problem_news: written by npm run generate.
-- $1 news json
-- $2 at timestamptz
-- returns told integer

with news as materialized (
    select *, row_number() over (partition by app_id order by event_id, kind) as place
    from json_to_recordset($1::json) as news(app_id uuid, problem_id uuid, event_id uuid, kind text, rule_id uuid)
  ), told as materialized (
    select details ->> 'appId' as app_id, count(*) as count from happenings
    where created_at > $2::timestamptz - interval '1 hour' and kind in ('problem.new', 'problem.back', 'problem.spike')
    group by 1
  ), ranked as materialized (
    select news.*, apps.organisation_id, apps.name as app,
      place + coalesce(told.count, 0) <= 20 as is_told,
      case when news.kind = 'spike' then json_build_object('events', spike_events, 'minutes', spike_minutes) end as spike
    from news join apps on apps.id = news.app_id left join told on told.app_id = news.app_id::text
  ), happening as (
  insert into happenings (organisation_id, kind, subject, details, created_at) 
    select news.organisation_id, 'problem.' || news.kind, news.problem_id || ' ' || news.event_id,
      jsonb_strip_nulls(jsonb_build_object('appId', news.app_id, 'app', news.app, 'problem', json_build_object('id', news.problem_id, 'title', problems.title, 'isNew', news.kind = 'new',
      'isBack', news.kind = 'back', 'events', problems.event_count,
      'users', least(problems.user_count, problems.event_count)),
        'eventId', news.event_id, 'version', summary.version, 'environment', summary.environment, 'spike', spike)), $2::timestamptz
    from ranked news
    join problems on problems.app_id = news.app_id and problems.id = news.problem_id
    left join event_summaries summary on summary.app_id = news.app_id and summary.event_id = news.event_id
    where is_told
    union all
    select distinct organisation_id, 'problem.new', 'more ' || app_id || ' ' || date_trunc('hour', $2::timestamptz, 'UTC'),
      jsonb_build_object('appId', app_id, 'app', app), $2::timestamptz
    from ranked where not is_told
  on conflict do nothing
    returning id
  )
  select count(*)::integer as told from happening;
