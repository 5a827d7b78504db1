-- hold_reading: written by npm run generate.
-- $1 appId uuid
-- returns held boolean

select pg_advisory_xact_lock(hashtextextended('lodge read events ' || $1::uuid, 0)) is not null as held;
