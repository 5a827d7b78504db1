-- settle_successful_attempts: written by npm run generate.
-- $1 requests json
-- each request: n integer, app_id uuid, delivery_id uuid, worker_id text, started_at timestamptz, duration_ms integer,
--   status integer or null, response text or null
-- returns n integer

with request as materialized (
    select * from json_to_recordset($1::json) as request(
        n integer,
        app_id uuid,
        delivery_id uuid,
        worker_id text,
        started_at timestamptz,
        duration_ms integer,
        status integer,
        response text)
  ), found as materialized (
    select held.place from request cross join lateral (
      select ctid as place from deliveries
      where deliveries.app_id = request.app_id and deliveries.id = request.delivery_id and claimed_by = request.worker_id
      offset 0
    ) held
  ), delivery as (
    update deliveries set state = 'delivered', settled_at = now(), claimed_by = null, attempt_count = attempt_count + 1
    where ctid = any (array(select place from found)) and claimed_by = any (array(select worker_id from request))
    returning app_id, id, subscriber_id, attempt_count
  ), recovering as materialized (
    select app_id, id as subscriber_id from subscribers
    where consecutive_failures > 0 and (app_id, id) in (select app_id, subscriber_id from delivery)
    order by app_id, id for no key update -- in one order, so that no two runs wait for each other
  ), recovered as (
    update subscribers set failing_since = null, consecutive_failures = 0, pauses = 0, paused_until = null
    from recovering
    where subscribers.app_id = recovering.app_id and subscribers.id = recovering.subscriber_id
      and consecutive_failures > 0 and enabled
  ), attempt as (
    insert into delivery_attempts (app_id, delivery_id, number, started_at, duration_ms, status, response, reason)
    select delivery.app_id, id, attempt_count, started_at, duration_ms, status, response, null
    from delivery join request on request.app_id = delivery.app_id and request.delivery_id = delivery.id
  )
  select null::integer as n where false;
