-- try_to_hold_reading: written by npm run generate.
-- returns held boolean

select pg_try_advisory_xact_lock(hashtextextended('lodge read events', 0)) as held;
