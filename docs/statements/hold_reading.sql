-- hold_reading: written by npm run generate.
-- returns held boolean

select pg_advisory_xact_lock(hashtextextended('lodge read events', 0)) is not null as held;
