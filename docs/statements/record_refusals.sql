-- record_refusals: written by npm run generate.
-- $1 refusals json
-- returns nothing

with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into refusals (app_id, sdk_key_id, code, day, count, last_at)
  select app_id, key_id, code, day, refused.count, refused.last_at
  from lazy, json_to_recordset($1::json) refused (app_id uuid, key_id uuid, code text, day date, count bigint, last_at timestamptz)
  join apps on apps.id = app_id
  order by app_id, day, key_id, code
  on conflict (app_id, day, sdk_key_id, code)
  do update set count = refusals.count + excluded.count, last_at = greatest(refusals.last_at, excluded.last_at);
