-- try_to_hold_reading: written by npm run generate.
-- $1 appIds uuid[]
-- returns app_id uuid

with app as materialized (select unnest($1::uuid[]) as app_id)
  select app_id from app where pg_try_advisory_xact_lock(hashtextextended('lodge read events ' || app_id, 0));
