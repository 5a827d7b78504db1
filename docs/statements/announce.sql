-- announce: written by npm run generate.
-- $1 channel text
-- $2 payloads text[]
-- returns count bigint

select count(pg_notify($1::text, payload)) from unnest($2::text[]) payload;
