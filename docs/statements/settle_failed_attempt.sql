-- settle_failed_attempt: written by npm run generate.
-- $1 appId uuid
-- $2 deliveryId uuid
-- $3 workerId text
-- $4 startedAt timestamptz
-- $5 durationMs integer
-- $6 status integer or null
-- $7 response text or null
-- $8 reason text
-- $9 delayMs integer or null
-- $10 longestDelayMs integer
-- $11 isGone boolean
-- $12 failedAt timestamptz
-- $13 pauseMs integer or null
-- $14 pauseMsMax integer
-- $15 retryAfterMs integer or null
-- returns disabled_reason text or null, subscriber_id uuid, url text or null, board_id uuid or null

with subscriber as materialized (
    select subscribers.*,
      case when not enabled then null
        when $11::boolean then 'It answered 410 Gone.'
        when failing_since at time zone 'UTC' <= ($12::timestamptz at time zone 'UTC') - interval '5 days'
          then 'It has failed for 5 days.' end as disabling,
      consecutive_failures + 1 >= 5 and (paused_until is null or paused_until <= now()) as pausing
    from deliveries join subscribers
      on subscribers.app_id = deliveries.app_id and subscribers.id = deliveries.subscriber_id
    where deliveries.app_id = $1::uuid and deliveries.id = $2::uuid and claimed_by = $3::text
    for no key update of subscribers
  ), delivery as (
    update deliveries set claimed_by = null, attempt_count = attempt_count + 1, retry_count = retry_count + 1,
      state = case when over then 'dead' else 'failed' end, settled_at = case when over then at end,
      due_at = case when ordered then due_at else again_at end
    from (select ordered, ($9::integer is null and not ordered) or disabling is not null or not enabled as over,
        now() as at, now() + greatest($9::integer, $15::integer, 0) * interval '1 ms' as again_at
      from subscriber) verdict
    where app_id = $1::uuid and id = $2::uuid and claimed_by = $3::text -- unless it was skipped meanwhile
    returning app_id, id, subscriber_id, attempt_count, state, due_at
  ), failed as materialized (
    select subscriber.* from subscriber join delivery on delivery.subscriber_id = subscriber.id
  ), attempt as (
    insert into delivery_attempts (app_id, delivery_id, number, started_at, duration_ms, status, response, reason)
    select app_id, id, attempt_count, $4::timestamptz, $5::integer, $6::integer, $7::text,
      $8::text from delivery
  ), changed as (
    update subscribers set
      consecutive_failures = subscribers.consecutive_failures + 1,
      failing_since = coalesce(subscribers.failing_since, $12::timestamptz),
      enabled = subscribers.enabled and disabling is null,
      disabled_at = case when disabling is null then subscribers.disabled_at else $12::timestamptz end,
      disabled_reason = coalesce(disabling, subscribers.disabled_reason),
      pauses = case when pausing then subscribers.pauses + 1 else subscribers.pauses end,
      paused_until = greatest(subscribers.paused_until, now() + greatest($15::integer, case when failed.ordered then coalesce($9::integer, $10::integer) end) * interval '1 ms', now() + case when pausing
        then least($13::integer::bigint << least(subscribers.pauses, 20), $14::integer::bigint) end * interval '1 ms')
    from failed
    where subscribers.app_id = failed.app_id and subscribers.id = failed.id
    returning subscribers.app_id, subscribers.id, subscribers.url, subscribers.board_id, subscribers.ordered, pausing,
      subscribers.paused_until, disabling
  ), happened as (
  insert into happenings (organisation_id, kind, subject, details, created_at) 
    select apps.organisation_id, 'subscriber.disabled', changed.id || ' ' || $12::timestamptz,
      jsonb_build_object('appId', apps.id, 'app', apps.name, 'subscriberId', changed.id, 'receiver', coalesce(substring(changed.url from '^(?:https?://|mailto:)([^/?#]+)'), 'board'),
        'reason', disabling), $12::timestamptz
    from changed join apps on apps.id = changed.app_id where disabling is not null
    union all
    select apps.organisation_id, 'delivery.dead', changed.id || ' ' || date_trunc('day', $12::timestamptz, 'UTC'),
      jsonb_build_object('appId', apps.id, 'app', apps.name, 'subscriberId', changed.id, 'receiver', coalesce(substring(changed.url from '^(?:https?://|mailto:)([^/?#]+)'), 'board'),
        'deliveryId', delivery.id, 'reason', $8::text), $12::timestamptz
    from changed join delivery on delivery.subscriber_id = changed.id join apps on apps.id = changed.app_id
    where delivery.state = 'dead' and disabling is null
  on conflict do nothing
  ), job as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (
    select app_id, json_build_array(subscriber_id), due_at from delivery where state = 'failed'
    union all select app_id, json_build_array(id), paused_until from changed where pausing or ordered or $15::integer > 0
    union all select app_id, json_build_array(id), now() from changed where disabling is not null) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id
  )
  select disabling as disabled_reason, id as subscriber_id, url, board_id from changed;
