-- find_hashes_of_user: written by npm run generate.
-- $1 appIds uuid[]
-- $2 user text
-- $3 installs uuid[]
-- returns app_id uuid, hash uuid

select distinct a.app_id, events.hash from 
    unnest($1::uuid[], $3::uuid[]) as a (app_id, install)
    cross join lateral (
      (select e.hash, e.event_id from event_summaries e where e.app_id = a.app_id and e.user_id = $2::text order by e.event_id desc limit 2000)
      union all
      (select e.hash, e.event_id from event_summaries e where e.app_id = a.app_id and lower(e.user_email) = lower($2::text) order by e.event_id desc limit 2000)
      union all
      (select e.hash, e.event_id from event_summaries e where e.app_id = a.app_id and e.install = a.install order by e.event_id desc limit 2000)
    ) events where events.hash is not null;
