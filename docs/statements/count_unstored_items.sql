-- count_unstored_items: written by npm run generate.
-- $1 items json
-- returns nothing

with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into unstored_items (app_id, day, type, count, last_at)
  select app_id, day, type, item.count, item.last_at
  from lazy, json_to_recordset($1::json) item (app_id uuid, day date, type text, count bigint, last_at timestamptz)
  join apps on apps.id = app_id
  order by app_id, day, type
  on conflict (app_id, day, type)
  do update set count = unstored_items.count + excluded.count, last_at = greatest(unstored_items.last_at, excluded.last_at);
