-- take_deliveries: written by npm run generate.
-- $1 appId uuid
-- $2 subscriberId uuid
-- $3 workerId text
-- $4 underWay uuid[]
-- $5 count integer
-- returns id uuid, app_id uuid, subscriber_id uuid, app_name text, retry_count integer, replay_id uuid or null,
--   is_probe boolean, event_id uuid, report_id text, received_at timestamptz, envelope bytea or null,
--   reply json or null, attachments json, organisation_id uuid, board_id uuid or null, column_id uuid or null,
--   traceparent text or null, kind text, url text, sealed_url text or null, secrets text[]

with throttled as materialized (
    select id, greatest(slot_at, now()) as slot_at, interval '1 minute' / per_minute as slot, ceil(per_minute / 60.0) as burst
    from subscribers where app_id = $1::uuid and id = $2::uuid and per_minute is not null
    for no key update
  ), subscriber as materialized (
    select subscribers.*, consecutive_failures >= 5 or ordered as is_single,
      floor(burst - extract(epoch from throttled.slot_at - now()) / extract(epoch from slot))::integer as allowance
    from subscribers left join throttled using (id)
    where app_id = $1::uuid and subscribers.id = $2::uuid
      and (paused_until is null or paused_until <= now() or not enabled)
  ), first as materialized (
    select ahead.id, ahead.due_at from subscriber, (select id, due_at from deliveries
      where app_id = $1::uuid and subscriber_id = $2::uuid and state in ('waiting', 'failed')
      order by due_at limit 1) ahead
    where case when ordered then not exists (
      select from (select claimed_by from deliveries
      where app_id = $1::uuid and subscriber_id = $2::uuid and state in ('waiting', 'failed')
      order by due_at limit 100) claimed where claimed_by <> $3::text) end
  ), due as materialized (
    select deliveries.ctid as place from deliveries, subscriber
    where deliveries.app_id = $1::uuid and deliveries.subscriber_id = $2::uuid and state in ('waiting', 'failed')
      and subscriber.enabled and (claimed_by is null or claimed_by = $3::text) and deliveries.id <> all($4::uuid[])
      -- in order, none behind the first is looked at: were it skipped because another worker locks it, that would be the second
      and due_at <= now() and due_at <= (select case when ordered then (select due_at from first) else 'infinity' end from subscriber)
      and (not ordered or deliveries.id = (select id from first))
    order by due_at
    limit (select greatest(0, least($5::integer, allowance,
      case when is_single then 1 - cardinality($4::uuid[]) end)) from subscriber)
    for update of deliveries skip locked
  ), taken as (
    update deliveries set claimed_by = $3::text where ctid = any (array(select place from due)) -- as they lie, whatever the planner knows
    returning id, event_id, message_number, retry_count, replay_id, due_at
  ), paced as (
    update subscribers set slot_at = paid_until,
      paused_until = case when many >= allowance then paid_until else subscribers.paused_until end
    from throttled, subscriber, (select count(*)::integer as many from taken) taking,
      lateral (select throttled.slot_at + many * slot as paid_until) payment
    where subscribers.app_id = $1::uuid and subscribers.id = throttled.id and many > 0
    returning subscribers.app_id, subscribers.id, many >= allowance as is_used_up, subscribers.paused_until
  ), woken as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (select app_id, json_build_array(id), paused_until from paced where is_used_up) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id
  ), unwanted as materialized (
    select ctid as place from deliveries
    where (select not enabled from subscriber) -- of one that is enabled none is looked at, whatever the planner knows
      and app_id = $1::uuid and subscriber_id = $2::uuid and state in ('waiting', 'failed') and claimed_by is null
    order by due_at limit 5000
    for update
  ), given_up as (
    update deliveries set state = 'dead', settled_at = now() where ctid = any (array(select place from unwanted))
    returning app_id, subscriber_id
  ), continued as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (select app_id, json_build_array(subscriber_id), now() from given_up
    group by app_id, subscriber_id having count(*) = 5000) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id
  )
  select taken.id, events.app_id, subscriber.id as subscriber_id, apps.name as app_name, retry_count, replay_id,
    is_single as is_probe, taken.event_id, report_id, received_at,
    case when subscriber.kind <> 'webhook' or octet_length(envelope) <= 262144
      then envelope end as envelope,
    case when messages.number is not null then json_build_object('threadId', messages.thread_id, 'number', messages.number,
      'text', messages.text, 'createdAt', messages.created_at) end as reply,
    events.attachments, subscriber.organisation_id, board_id, column_id, traceparent,
    subscriber.kind, coalesce(subscriber.url, '') as url, subscriber.sealed_url,
    array(select secret from signing_secrets
      where signing_secrets.app_id = $1::uuid and subscriber_id = $2::uuid and (expires_at is null or expires_at > now())
      order by created_at desc, signing_secrets.id desc) as secrets
  from taken
  cross join lateral (select * from events where events.app_id = $1::uuid and events.id = taken.event_id offset 0) events
  join apps on apps.id = $1::uuid
  left join lateral (
    select id from threads
    where threads.app_id = $1::uuid and threads.event_id = taken.event_id and taken.message_number is not null offset 0
  ) threads on true
  left join lateral (
    select * from messages
    where messages.app_id = $1::uuid and messages.thread_id = threads.id and messages.number = taken.message_number offset 0
  ) messages on true
  cross join subscriber
  order by taken.due_at;
