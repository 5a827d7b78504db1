-- find_hashes_of_user: written by npm run generate.
-- $1 appId uuid
-- $2 user text
-- $3 install uuid
-- returns hash uuid

select distinct hash from (
      (select hash from event_summaries where app_id = $1::uuid and user_id = $2::text order by event_id desc limit 2000)
      union all
      (select hash from event_summaries where app_id = $1::uuid and lower(user_email) = lower($2::text) order by event_id desc limit 2000)
      union all
      (select hash from event_summaries where app_id = $1::uuid and install = $3::uuid order by event_id desc limit 2000)
    ) events where hash is not null;
