-- count_occurrences: written by npm run generate.
-- $1 events json
-- $2 hashes json
-- $3 versions json
-- $4 facets json
-- $5 installs json
-- $6 users json
-- $7 days json
-- $8 texts json
-- $9 appFacets json
-- $10 hours json
-- returns app_id uuid, problem_id uuid, event_id uuid, seen_at timestamptz, reopening_event_id uuid or null,
--   is_crowded boolean

with summary as (
    insert into event_summaries (app_id, event_id, hash, received_at, kind, title, message, environment, version, install,
      user_id, user_email, user_name, attachment_count, facets, search_text, read_failure)
    select app_id, event_id, hash, received_at, kind, title, message, environment, version, install, user_id, user_email,
      user_name, attachment_count, facets, search_text, read_failure
    from json_to_recordset($1::json) as event(app_id uuid, event_id uuid, hash uuid, received_at timestamptz,
      kind text, title text, message text, environment text, version text, install uuid, user_id text, user_email text,
      user_name text, attachment_count smallint, facets text[], search_text text, read_failure text)
  ), counted as materialized (
    select count.*, problem_hashes.problem_id, problem_hashes.user_level from json_to_recordset($2::json) as count(
      app_id uuid, hash uuid, event_count integer, first_seen_at timestamptz, last_seen_at timestamptz, last_event_id uuid,
      first_version text, last_version text)
    join problem_hashes using (app_id, hash)
  ), seen_user as (
    insert into problem_users (app_id, hash, person, level)
    select app_id, hash, person, level
    from json_to_recordset($6::json) as seen(app_id uuid, hash uuid, person uuid, level smallint)
    join counted using (app_id, hash) where level >= counted.user_level
    order by app_id, hash, person
    on conflict do nothing
    returning app_id, hash, person, level
  ), hashed as (
    update problem_hashes set event_count = problem_hashes.event_count + counted.event_count,
      first_seen_at = least(problem_hashes.first_seen_at, counted.first_seen_at),
      last_seen_at = greatest(problem_hashes.last_seen_at, counted.last_seen_at),
      users_kept = users_kept + (
        select count(*) from seen_user where seen_user.app_id = counted.app_id and seen_user.hash = counted.hash)
    from counted where problem_hashes.app_id = counted.app_id and problem_hashes.hash = counted.hash
    returning problem_hashes.app_id, problem_hashes.problem_id, users_kept > 10000 as is_crowded
  ), seen_install as (
    insert into problem_installs (app_id, hash, install)
    select app_id, hash, install from json_to_recordset($5::json) as seen(app_id uuid, hash uuid, install uuid)
    order by app_id, hash, install
    on conflict do nothing
    returning app_id, hash, install
  ), new_install as (
    select app_id, problem_id, count(distinct install) as install_count from seen_install join counted using (app_id, hash)
    where not exists (
      select from problem_hashes other
      join problem_installs known on known.app_id = other.app_id and known.hash = other.hash
      where other.app_id = counted.app_id and other.problem_id = counted.problem_id and other.hash <> counted.hash
        and known.install = seen_install.install)
    group by app_id, problem_id
  ), new_user as (
    select counted.app_id, counted.problem_id, count(distinct person) << problems.user_level as user_count
    from seen_user join counted using (app_id, hash)
    join problems on problems.app_id = counted.app_id and problems.id = counted.problem_id
    where seen_user.level >= problems.user_level and not exists (
      select from problem_hashes other
      join problem_users known on known.app_id = other.app_id and known.hash = other.hash
      where other.app_id = counted.app_id and other.problem_id = counted.problem_id and other.hash <> counted.hash
        and known.person = seen_user.person)
    group by counted.app_id, counted.problem_id, problems.user_level
  ), touched as materialized (
    select app_id, problem_id, sum(event_count) as event_count, min(first_seen_at) as first_seen_at,
      max(last_seen_at) as last_seen_at, (array_agg(last_event_id order by last_seen_at desc))[1] as last_event_id,
      (array_agg(first_version order by first_seen_at) filter (where first_version is not null))[1] as first_version,
      (array_agg(last_version order by last_seen_at desc) filter (where last_version is not null))[1] as last_version
    from counted group by app_id, problem_id
  ), locked as materialized (
    select problems.* from problems join touched on problems.app_id = touched.app_id and problems.id = touched.problem_id
    order by problems.app_id, problems.id for no key update of problems
  ), returned as materialized (
    select locked.app_id, locked.id, max(newer.version) as version,
      (array_agg(newer.first_event_id order by newer.first_event_id))[1] as event_id
    from locked join counted on counted.app_id = locked.app_id and counted.problem_id = locked.id
    join json_to_recordset($3::json) as newer(app_id uuid, hash uuid, version text, version_key text,
      last_seen_at timestamptz, first_event_id uuid) on newer.app_id = counted.app_id and newer.hash = counted.hash
    left join app_facets known on known.app_id = newer.app_id and known.facet = 'version:' || newer.version
    where locked.state = 'resolved' and newer.last_seen_at > locked.state_changed_at
      and case
        when locked.resolved_version is null then true
        when locked.resolved_version_key is not null and newer.version_key is not null
          then newer.version_key collate "C" > locked.resolved_version_key
        else newer.version <> locked.resolved_version
          and (known.first_seen_at is null or known.first_seen_at > locked.state_changed_at)
      end
    group by locked.app_id, locked.id
  ), problem as (
    update problems set event_count = problems.event_count + touched.event_count,
      install_count = problems.install_count + coalesce(new_install.install_count, 0),
      user_count = problems.user_count + coalesce(new_user.user_count, 0),
      first_seen_at = least(problems.first_seen_at, touched.first_seen_at),
      last_seen_at = greatest(problems.last_seen_at, touched.last_seen_at),
      last_event_id = case when touched.last_seen_at >= problems.last_seen_at
        then touched.last_event_id else problems.last_event_id end,
      first_version = coalesce(problems.first_version, touched.first_version),
      last_version = coalesce(touched.last_version, problems.last_version),
      state = case when returned.id is not null then 'open' else problems.state end,
      reopened_at = case when returned.id is not null then touched.last_seen_at else problems.reopened_at end,
      reopened_version = case when returned.id is not null then returned.version else problems.reopened_version end,
      reopened_event_id = case when returned.id is not null then returned.event_id else problems.reopened_event_id end
    from locked
    join touched on touched.app_id = locked.app_id and touched.problem_id = locked.id
    left join new_install on new_install.app_id = locked.app_id and new_install.problem_id = locked.id
    left join new_user on new_user.app_id = locked.app_id and new_user.problem_id = locked.id
    left join returned on returned.app_id = locked.app_id and returned.id = locked.id
    where problems.app_id = locked.app_id and problems.id = locked.id
    returning problems.app_id, problems.id, touched.last_event_id as event_id, touched.last_seen_at as seen_at,
      returned.event_id as reopening_event_id
  ), facet as (
    insert into problem_facets as kept (app_id, hash, facet, event_count, first_seen_at, last_seen_at)
    select app_id, hash, facet, named.event_count, named.first_seen_at, named.last_seen_at
    from json_to_recordset($4::json) as named(app_id uuid, hash uuid, facet text, event_count integer,
      first_seen_at timestamptz, last_seen_at timestamptz)
    where exists (select from problem_facets known
        where known.app_id = named.app_id and known.hash = named.hash and known.facet = named.facet)
      or (select count(*) from problem_facets known
        where known.app_id = named.app_id and known.hash = named.hash) < 600
    order by app_id, hash, facet
    on conflict (app_id, hash, facet) do update set event_count = kept.event_count + excluded.event_count,
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ), app_facet as (
    insert into app_facets as kept (app_id, facet, event_count, first_seen_at, last_seen_at)
    select app_id, facet, named.event_count, named.first_seen_at, named.last_seen_at
    from json_to_recordset($9::json) as named(app_id uuid, facet text, event_count integer,
      first_seen_at timestamptz, last_seen_at timestamptz)
    where exists (select from app_facets known where known.app_id = named.app_id and known.facet = named.facet)
      or (select count(*) from app_facets known where known.app_id = named.app_id
        and starts_with(known.facet, split_part(named.facet, ':', 1))) < 1000
    order by app_id, facet
    on conflict (app_id, facet) do update set event_count = kept.event_count + excluded.event_count,
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ), problem_day as (
    insert into problem_days as kept (app_id, hash, day, event_count)
    select * from json_to_recordset($7::json) as day(app_id uuid, hash uuid, day date, event_count integer)
    order by app_id, hash, day
    on conflict (app_id, hash, day) do update set event_count = kept.event_count + excluded.event_count
  ), app_hour as (
    insert into app_hours as kept (app_id, kind, hour, event_count)
    select * from json_to_recordset($10::json) as hour(app_id uuid, kind text, hour timestamptz, event_count integer)
    order by app_id, kind, hour
    on conflict (app_id, hour, kind) do update set event_count = kept.event_count + excluded.event_count
  ), problem_text as (
    insert into problem_texts (app_id, hash, digest, search_text)
    select app_id, hash, digest, search_text
    from json_to_recordset($8::json) as text(app_id uuid, hash uuid, digest uuid, search_text text)
    where (select count(*) from problem_texts known where known.app_id = text.app_id and known.hash = text.hash)
      < 50
    order by app_id, hash, digest
    on conflict do nothing
  )
  select app_id, id as problem_id, event_id, seen_at, reopening_event_id,
    exists (select from hashed where hashed.app_id = problem.app_id and problem_id = problem.id and is_crowded) as is_crowded
  from problem;
