-- find_release_users: written by npm run generate.
-- $1 appIds uuid[]
-- $2 versions text[]
-- returns app_id uuid, version text, users bytea

select app_id, version, users from app_releases
    join unnest($1::uuid[], $2::text[]) as asked (app_id, version) using (app_id, version);
