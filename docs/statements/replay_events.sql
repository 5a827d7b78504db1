-- replay_events: written by npm run generate.
-- $1 replayId uuid
-- $2 last uuid
-- returns sent integer

with replay as materialized (
    select replays.*, (select count(*) from (
        select from deliveries where deliveries.app_id = replays.app_id and deliveries.subscriber_id = replays.subscriber_id
          and deliveries.state in ('waiting', 'failed') limit 50) open) as open_count
    from replays where id = $1::uuid and state = 'running' and next_at <= now()
    for update skip locked
  ), subscriber as materialized (
    select subscribers.id, subscribers.filter, subscribers.enabled
    from subscribers join replay on subscribers.app_id = replay.app_id and subscribers.id = replay.subscriber_id
  ), scanned as materialized (
    select events.app_id, events.id, received_at >= from_at and received_at < until_at as is_within
    from replay join lateral (
      select * from events where events.app_id = replay.app_id and events.id > replay.position and events.id < $2::uuid
      order by events.id limit case when open_count < 50 then 5000 else 0 end
    ) events on true
  ), judged as (
  select scanned.id, delivery.id as delivery_id,
    is_within and (delivery.id is null or delivery.state = 'dead' or (delivery.state = 'delivered' and (select again from replay)))
    and case
    when subscriber.filter is not null then coalesce(case
    when subscriber.filter ? 'kinds' and not exists (
      select from jsonb_array_elements_text(subscriber.filter -> 'kinds') wanted where 'kind:' || wanted = any(coalesce(summary.facets, '{}')))
      then 'kind'
    when subscriber.filter ? 'environments' and not exists (
      select from jsonb_array_elements_text(subscriber.filter -> 'environments') wanted where 'environment:' || wanted = any(coalesce(summary.facets, '{}')))
      then 'environment'
    when subscriber.filter ? 'versions' and not exists (
      select from jsonb_array_elements_text(subscriber.filter -> 'versions') wanted where 'version:' || wanted = any(coalesce(summary.facets, '{}')))
      then 'version'
    when subscriber.filter ? 'tags' and not exists (
      select from jsonb_array_elements_text(subscriber.filter -> 'tags') wanted where 'tag:' || wanted = any(coalesce(summary.facets, '{}')))
      then 'tag'
    when subscriber.filter ? 'errorTypes' and not exists (
      select from jsonb_array_elements_text(subscriber.filter -> 'errorTypes') wanted where 'error:' || wanted = any(coalesce(summary.facets, '{}')))
      then 'error type'
  end, case
      when coalesce((subscriber.filter ->> 'firstOfProblem')::boolean, (subscriber.filter ->> 'newProblemsOnly')::boolean, false) and exists (select from event_summaries earlier where earlier.app_id = summary.app_id and earlier.hash = summary.hash
        and (earlier.received_at, earlier.event_id) < (summary.received_at, summary.event_id)) then 'new problems only'
      when not coalesce((subscriber.filter ->> 'firstOfProblem')::boolean, (subscriber.filter ->> 'newProblemsOnly')::boolean, false) and (coalesce((subscriber.filter ->> 'back')::boolean, false) or subscriber.filter ? 'spike')
        then 'problems that come back or occur often only'
    end)
  end is null as is_wanted
  from scanned cross join subscriber
  left join event_summaries summary on summary.app_id = scanned.app_id and summary.event_id = scanned.id
  left join deliveries delivery on delivery.app_id = scanned.app_id and delivery.event_id = scanned.id
    and delivery.subscriber_id = subscriber.id and delivery.message_number is null
  ), placed as materialized (
    select id, delivery_id, is_wanted, count(*) filter (where is_wanted) over (order by id) as nth from judged
  ), taken as materialized (
    select placed.* from placed, replay where nth <= 50 - open_count
  ), held as materialized ( -- until it is committed, so that no event goes without what is made here
    select events.id, nth from taken, replay, events
    where events.app_id = replay.app_id and events.id = taken.id and is_wanted and delivery_id is null
    for key share of events
  ), made as (
    insert into deliveries (app_id, event_id, subscriber_id, replay_id, due_at)
    select replay.app_id, held.id, replay.subscriber_id, replay.id, now() + nth * interval '1 microsecond'
    from held, replay, subscriber where enabled
    order by held.id
    on conflict do nothing
    returning app_id, subscriber_id
  ), again as (
    update deliveries set state = 'waiting', settled_at = null, due_at = now() + nth * interval '1 microsecond', retry_count = 0,
      replay_id = replay.id
    from taken, replay, subscriber
    where deliveries.app_id = replay.app_id and deliveries.id = taken.delivery_id and is_wanted and subscriber.enabled
      and deliveries.state in ('dead', 'delivered')
    returning deliveries.app_id, deliveries.subscriber_id
  ), sent as materialized (
    select app_id, subscriber_id from made union all select app_id, subscriber_id from again
  ), advanced as (
    update replays set
      position = coalesce((select id from taken order by id desc limit 1), replays.position),
      sent_count = replays.sent_count + (select count(*) from sent),
      next_at = now() + interval '1 second',
      state = case when not subscriber.enabled then 'cancelled' when ended then 'done' else 'running' end,
      ended_at = case when ended or not subscriber.enabled then at end,
      ended_by = case when not subscriber.enabled then 'The subscriber was disabled.' end
    from replay, subscriber, lateral (
      select open_count < 50 and (select count(*) from scanned) < 5000
        and (select count(*) from scanned) = (select count(*) from taken) as ended, now() as at) progress
    where replays.id = replay.id
    returning replays.id, replays.state, replays.next_at
  ), woken as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (select app_id, json_agg(distinct subscriber_id), now() from sent group by app_id) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id
  ), next as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'replay_events'), job.payload, job.run_at, 32767
  from (select json_build_object('replayId', id), next_at from advanced where state = 'running') job (payload, run_at)
  returning id
  )
  select (select count(*) from sent)::integer as sent from advanced;
