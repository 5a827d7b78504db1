-- accept_filtered_events: written by npm run generate.
-- $1 requests json
-- $2 bytes bytea
-- each request: n integer, organisation_id uuid, app_id uuid, sdk_key_id uuid, report_id text, digest uuid,
--   received_at timestamptz, install uuid or null, opens_thread boolean, attachments text, artifacts json,
--   traceparent text or null, original_at integer or null, facets text[], group_hash uuid or null,
--   old_group_hash uuid or null, bytes_at integer, bytes_length integer
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
        facets text[],
        group_hash uuid,
        old_group_hash uuid,
        bytes_at integer,
        bytes_length integer)
    ), subscribed as materialized (
      select subscriber.* from (select distinct app_id from request) app
      cross join lateral (select app_id, id, filter from subscribers where app_id = app.app_id and enabled) subscriber
    ), 
    unknown_hash as materialized (
      select distinct on (app_id, group_hash) n, app_id, group_hash from request
      where group_hash is not null
        and not exists (select from problem_hashes known where known.app_id = request.app_id
          and (hash = group_hash or hash = old_group_hash and not retired))
        and not exists (select from report_ids known where known.app_id = request.app_id and known.digest = request.digest)
      order by app_id, group_hash, n
    ), told_hash as (
      insert into told_hashes (app_id, hash) select app_id, group_hash from unknown_hash order by app_id, group_hash
      on conflict do nothing
      returning app_id, hash
    ), first_of_problem as materialized (
      select n from unknown_hash join told_hash on told_hash.app_id = unknown_hash.app_id and hash = group_hash
    ), verdict as materialized (
      select request.n, subscribed.id, case
    when subscribed.filter is not null then coalesce(case
    when subscribed.filter ? 'kinds' and not exists (
      select from jsonb_array_elements_text(subscribed.filter -> 'kinds') wanted where 'kind:' || wanted = any(request.facets))
      then 'kind'
    when subscribed.filter ? 'environments' and not exists (
      select from jsonb_array_elements_text(subscribed.filter -> 'environments') wanted where 'environment:' || wanted = any(request.facets))
      then 'environment'
    when subscribed.filter ? 'versions' and not exists (
      select from jsonb_array_elements_text(subscribed.filter -> 'versions') wanted where 'version:' || wanted = any(request.facets))
      then 'version'
    when subscribed.filter ? 'tags' and not exists (
      select from jsonb_array_elements_text(subscribed.filter -> 'tags') wanted where 'tag:' || wanted = any(request.facets))
      then 'tag'
    when subscribed.filter ? 'errorTypes' and not exists (
      select from jsonb_array_elements_text(subscribed.filter -> 'errorTypes') wanted where 'error:' || wanted = any(request.facets))
      then 'error type'
  end, case
      when coalesce((subscribed.filter ->> 'firstOfProblem')::boolean, (subscribed.filter ->> 'newProblemsOnly')::boolean, false) and group_hash is not null and first_of_problem.n is null then 'new problems only'
      when not coalesce((subscribed.filter ->> 'firstOfProblem')::boolean, (subscribed.filter ->> 'newProblemsOnly')::boolean, false) and (coalesce((subscribed.filter ->> 'back')::boolean, false) or subscribed.filter ? 'spike')
        then 'problems that come back or occur often only'
    end)
  end as filtered_by
      from request join subscribed using (app_id) left join first_of_problem using (n)
    ), wanted as materialized (
      select n, id from verdict where filtered_by is null
    ), fan as (
      select n, count(*) filter (where filtered_by is null) as told_count,
        json_agg(json_build_object('subscriberId', id, 'by', filtered_by)) filter (where filtered_by is not null) as filtered
      from verdict group by n
    ), new as (
      insert into report_ids (app_id, digest, event_id, delivery_count)
      select app_id, digest, id, coalesce(told_count, 0) from request left join fan using (n)
      order by app_id, digest
      on conflict do nothing
      returning event_id, delivery_count
    ), accepted as materialized (
      select request.*, received_at as at, delivery_count from request join new on event_id = id
    ), event as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, original, received_at, attachments, traceparent, delivery_count, filtered)
      select app_id, id, report_id, sdk_key_id, case when original_at is null then substr($2::bytea, bytes_at, bytes_length) else substr(substr($2::bytea, bytes_at, bytes_length), 1, original_at - 1) end,
        substr(substr($2::bytea, bytes_at, bytes_length), original_at), received_at, attachments::json, traceparent,
        delivery_count, filtered from accepted left join fan using (n)
    ), unread as (
      insert into unread_events (app_id, event_id) select app_id, id from accepted
    ), stored as (
      insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
      select app_id, id, artifact.*, at
      from accepted, json_to_recordset(artifacts) as artifact(position smallint, part_name text, filename text,
        content_type text, byte_length integer, sha256 bytea, store_key text)
    ), delivery as (
  insert into deliveries (app_id, event_id, subscriber_id, message_number)
  select accepted.app_id, accepted.id, wanted.id, null::integer from accepted join wanted on wanted.n = accepted.n
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
