-- announce: written by npm run generate.
-- $1 payloads text[]
-- returns count bigint

select count(pg_notify(case current_schema() when 'public' then 'lodge_live' else 'lodge_live ' || current_schema() end, payload)) from unnest($1::text[]) payload;
