-- settle_successful_attempt: written by npm run generate.
-- $1 appId uuid
-- $2 deliveryId uuid
-- $3 workerId text
-- $4 startedAt timestamptz
-- $5 durationMs integer
-- $6 status integer or null
-- $7 response text or null
-- returns nothing

with delivery as (
    update deliveries set state = 'delivered', settled_at = now(), claimed_by = null, attempt_count = attempt_count + 1
    where app_id = $1::uuid and id = $2::uuid and claimed_by = $3::text
    returning app_id, id, subscriber_id, attempt_count
  ), recovered as (
    update subscribers set failing_since = null, consecutive_failures = 0, pauses = 0, paused_until = null
    from delivery
    where subscribers.app_id = delivery.app_id and subscribers.id = delivery.subscriber_id
      and consecutive_failures > 0 and enabled
  )
  insert into delivery_attempts (app_id, delivery_id, number, started_at, duration_ms, status, response, reason)
  select app_id, id, attempt_count, $4::timestamptz, $5::integer, $6::integer, $7::text, null
  from delivery;
