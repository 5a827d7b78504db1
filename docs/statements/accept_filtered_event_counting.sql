-- accept_filtered_event_counting: written by npm run generate.
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
    ), 
  new_install as (
    insert into active_installs (organisation_id, month, slot, install)
    select organisation_id, month, ((extract(year from month) * 12 + extract(month from month))::integer % 3), install
    from (select organisation_id, install, date_trunc('month', at at time zone 'UTC')::date as month from accepted where install is not null) seen
    on conflict do nothing
    returning organisation_id, month, install
  ), by_key as (
    insert into key_installs as counts (app_id, day, sdk_key_id, shard, installs)
    select app_id, (at at time zone 'UTC')::date, sdk_key_id, get_byte(uuid_send(new_install.install), 0) % 16, 1
    from new_install cross join accepted
    on conflict (app_id, day, sdk_key_id, shard) do update set installs = counts.installs + 1
  ), undecided_month as materialized (
    select new_install.* from new_install join allowance_months using (organisation_id, month) where not decides
  ), spread as (
    insert into install_counts as counts (organisation_id, month, shard, installs)
    select organisation_id, month, get_byte(uuid_send(install), 0) % 16, 1 from undecided_month
    on conflict (organisation_id, month, shard) do update set installs = counts.installs + 1
  ), opening as materialized (
    select new_install.organisation_id, new_install.month, coalesce(organisations.monthly_install_limit,
  case organisations.plan when 'free' then 1000 when 'team' then 10000 when 'business' then 100000 end) as install_limit,
      (
  select count(*) = 2 from allowance_months before
  where before.organisation_id = new_install.organisation_id
    and before.month in ((new_install.month + interval '-1 months')::date, (new_install.month + interval '-2 months')::date)
    and not before.forgiven and before.installs + coalesce((
  select sum(installs) from install_counts
  where install_counts.organisation_id = before.organisation_id and install_counts.month = before.month), 0)::integer > before.install_limit) as decides,
      coalesce((
  select sum(installs) from install_counts
  where install_counts.organisation_id = new_install.organisation_id and install_counts.month = new_install.month), 0)::integer as spread_installs, (at at time zone 'UTC')::date as today, at
    from new_install join accepted using (organisation_id)
    join organisations on organisations.id = new_install.organisation_id
    where not exists (select from undecided_month)
  ), counted as (
    insert into allowance_months as counted (organisation_id, month, install_limit, decides, installs, counted_on, crossed_on)
    select organisation_id, month, install_limit, decides, 1 + spread_installs, today,
      case when decides and 1 + spread_installs > install_limit then today end
    from opening
    on conflict (organisation_id, month) do update set installs = counted.installs + 1, counted_on = excluded.counted_on,
      crossed_on = coalesce(counted.crossed_on, case
        when counted.decides and counted.installs + excluded.installs > counted.install_limit then excluded.counted_on end)
    returning new.organisation_id, new.month, new.crossed_on, new.install_limit, new.installs,
      old.crossed_on is null and new.crossed_on is not null as crosses
  ), crossed as materialized (
    select counted.organisation_id, counted.month, crossed_on, counted.install_limit,
      counted.installs + spread_installs as installs, at
    from counted join opening using (organisation_id) where crosses
  ), 
  suspension as (
    insert into suspensions (organisation_id, since, ends_on)
    select organisation_id, coalesce((
        select since from suspensions held
        where held.organisation_id = crossed.organisation_id and ended_at is null and ends_on > crossed_on), crossed_on),
      (month + interval '2 months')::date
    from crossed
    on conflict (organisation_id, since) do update set ends_on = excluded.ends_on
    returning new.organisation_id, new.since, old.since is not null as prolonged
  ), suspension_recorded as (
  insert into audit_entries (organisation_id, kind, details, at) 
    select suspension.organisation_id,
      case when prolonged then 'ingestion.suspension_prolonged' else 'ingestion.suspended' end,
      jsonb_build_object('since', since, 'months', jsonb_build_array(
        (
  select jsonb_build_object('month', to_char(shown.month, 'YYYY-MM'),
    'installs', shown.installs + coalesce((
  select sum(installs) from install_counts
  where install_counts.organisation_id = shown.organisation_id and install_counts.month = shown.month), 0)::integer, 'limit', shown.install_limit)
  from allowance_months shown
  where shown.organisation_id = suspension.organisation_id and shown.month = (crossed.month + interval '-2 months')::date),
        (
  select jsonb_build_object('month', to_char(shown.month, 'YYYY-MM'),
    'installs', shown.installs + coalesce((
  select sum(installs) from install_counts
  where install_counts.organisation_id = shown.organisation_id and install_counts.month = shown.month), 0)::integer, 'limit', shown.install_limit)
  from allowance_months shown
  where shown.organisation_id = suspension.organisation_id and shown.month = (crossed.month + interval '-1 months')::date),
        jsonb_build_object('month', to_char(month, 'YYYY-MM'), 'installs', installs, 'limit', install_limit))),
      at
    from suspension join crossed on crossed.organisation_id = suspension.organisation_id
  )
    select accepted.n, accepted.id, delivery_count, thread.id as thread_id, device_id
    from accepted left join thread on thread.event_id = accepted.id;
