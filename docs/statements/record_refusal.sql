-- record_refusal: written by npm run generate.
-- $1 appId uuid
-- $2 keyId uuid
-- $3 code text
-- $4 now timestamptz
-- returns nothing

with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into refusals (app_id, sdk_key_id, code, day, count, last_at)
  select $1::uuid, $2::uuid, $3::text, ($4::timestamptz at time zone 'UTC')::date, 1, $4::timestamptz from lazy
  on conflict (app_id, day, sdk_key_id, code) do update set count = refusals.count + 1, last_at = excluded.last_at;
