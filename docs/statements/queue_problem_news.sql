-- queue_problem_news: written by npm run generate.
-- $1 news json
-- returns id bigint

insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'deliver_news'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', app_id, 'eventId', event_id, 'subscriberId', rule_id), now()
      from json_to_recordset($1::json) as news(app_id uuid, event_id uuid, rule_id uuid)
      where rule_id is not null or exists (
        select from subscribers where subscribers.app_id = news.app_id and filter is not null and enabled
          and (filter ->> 'back')::boolean)) job (payload, run_at)
  returning id;
