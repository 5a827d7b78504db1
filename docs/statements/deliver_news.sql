-- deliver_news: written by npm run generate.
-- $1 appId uuid
-- $2 eventId uuid
-- $3 subscriberId uuid or null
-- returns id bigint

with event as materialized (
    select app_id, event_id as id, facets from event_summaries where app_id = $1::uuid and event_id = $2::uuid
  ), subscribed as materialized (
    select subscribers.app_id, subscribers.id from subscribers cross join event
    where subscribers.app_id = $1::uuid and filter is not null and enabled
      and case when $3::uuid is null then (filter ->> 'back')::boolean else subscribers.id = $3::uuid and filter ? 'spike' end
      and case
    when filter ? 'kinds' and not exists (
      select from jsonb_array_elements_text(filter -> 'kinds') wanted where 'kind:' || wanted = any(event.facets))
      then 'kind'
    when filter ? 'environments' and not exists (
      select from jsonb_array_elements_text(filter -> 'environments') wanted where 'environment:' || wanted = any(event.facets))
      then 'environment'
    when filter ? 'versions' and not exists (
      select from jsonb_array_elements_text(filter -> 'versions') wanted where 'version:' || wanted = any(event.facets))
      then 'version'
    when filter ? 'tags' and not exists (
      select from jsonb_array_elements_text(filter -> 'tags') wanted where 'tag:' || wanted = any(event.facets))
      then 'tag'
    when filter ? 'errorTypes' and not exists (
      select from jsonb_array_elements_text(filter -> 'errorTypes') wanted where 'error:' || wanted = any(event.facets))
      then 'error type'
  end is null
  ), delivery as (
  insert into deliveries (app_id, event_id, subscriber_id, message_number)
  select event.app_id, event.id, subscribed.id, null::integer from event join subscribed on subscribed.app_id = event.app_id
  on conflict do nothing returning app_id, subscriber_id
  )
  
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (select app_id, json_agg(distinct subscriber_id), now() from delivery group by app_id) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id;
