-- find_named_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 text text
-- returns event_id uuid

with mine as materialized (select id, name from apps where organisation_id = $1::uuid and deleted_at is null)
  select event_id from mine join report_ids on app_id = id
    and digest = left(encode(sha256(convert_to(id::text || $2::text, 'UTF8')), 'hex'), 32)::uuid;
