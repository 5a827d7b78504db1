-- find_large_envelope: written by npm run generate.
-- $1 appId uuid
-- $2 eventId uuid
-- returns envelope bytea

select envelope from events where app_id = $1::uuid and id = $2::uuid;
