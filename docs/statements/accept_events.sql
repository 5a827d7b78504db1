-- accept_events: written by npm run generate.
-- $1 requests json
-- $2 bytes bytea
-- each request: n integer, organisation_id uuid, app_id uuid, sdk_key_id uuid, report_id text, digest uuid,
--   received_at timestamptz, install uuid or null, opens_thread boolean, attachments text, artifacts json,
--   traceparent text or null, original_at integer or null, bytes_at integer, bytes_length integer
-- returns n integer, id uuid, delivery_count integer, thread_id uuid or null, device_id uuid or null

with request as materialized (
      select request.*, uuidv7() as id from json_to_recordset($1::json) as request(
        n integer,
        organisation_id uuid,
        app_id uuid,
        sdk_key_id uuid,
        report_id text,
        digest uuid,
        received_at timestamptz,
        install uuid,
        opens_thread boolean,
        attachments text,
        artifacts json,
        traceparent text,
        original_at integer,
        bytes_at integer,
        bytes_length integer)
    ), subscribed as materialized (
      select subscriber.* from (select distinct app_id from request) app
      cross join lateral (select app_id, id, filter from subscribers where app_id = app.app_id and enabled) subscriber
    ), new as (
      insert into report_ids (app_id, digest, event_id, delivery_count)
      select app_id, digest, id, (select count(*) from subscribed where subscribed.app_id = request.app_id) from request
      order by app_id, digest
      on conflict do nothing
      returning event_id, delivery_count
    ), accepted as materialized (
      select request.*, received_at as at, delivery_count from request join new on event_id = id
    ), event as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, original, received_at, attachments, traceparent, delivery_count)
      select app_id, id, report_id, sdk_key_id, case when original_at is null then substr($2::bytea, bytes_at, bytes_length) else substr(substr($2::bytea, bytes_at, bytes_length), 1, original_at - 1) end,
        substr(substr($2::bytea, bytes_at, bytes_length), original_at), received_at, attachments::json, traceparent,
        delivery_count from accepted
    ), unread as (
      insert into unread_events (app_id, event_id) select app_id, id from accepted
    ), stored as (
      insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
      select app_id, id, artifact.*, at
      from accepted, json_to_recordset(artifacts) as artifact(position smallint, part_name text, filename text,
        content_type text, byte_length integer, sha256 bytea, store_key text)
    ), delivery as (
  insert into deliveries (app_id, event_id, subscriber_id, message_number)
  select accepted.app_id, accepted.id, subscribed.id, null::integer from accepted join subscribed on subscribed.app_id = accepted.app_id
   returning app_id, subscriber_id
    ), job as (
  insert into _private_jobs (task_id, payload, run_at, max_attempts)
  select (select id from _private_tasks where identifier = 'wake_subscribers'), job.payload, job.run_at, 32767
  from (select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (select app_id, json_agg(distinct subscriber_id), now() from delivery group by app_id) wake (app_id, subscriber_ids, run_at)) job (payload, run_at)
  returning id
    ), discussed as (
      select * from accepted where opens_thread
    ), thread as (
  insert into threads (organisation_id, app_id, event_id, device_id, created_at)
  select organisation_id, app_id, id, coalesce(install, uuidv7()), at from discussed
  returning id, event_id, device_id
    )
    select accepted.n, accepted.id, delivery_count, thread.id as thread_id, device_id
    from accepted left join thread on thread.event_id = accepted.id;
