-- find_last_single_reports: written by npm run generate.
-- $1 organisationId uuid
-- $2 since uuid
-- returns id uuid, at timestamptz or null

select id, (select max(received_at) from event_summaries
    where app_id = apps.id and hash is null and event_id >= $2::uuid) as at
  from apps where organisation_id = $1::uuid and deleted_at is null;
