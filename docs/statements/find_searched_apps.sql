-- find_searched_apps: written by npm run generate.
-- $1 organisationId uuid
-- returns id uuid

select id from (select id, name from apps where organisation_id = $1::uuid and deleted_at is null) mine;
