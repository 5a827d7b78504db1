-- take_unread_event: written by npm run generate.
-- $1 appId uuid
-- $2 eventId uuid
-- returns app_id uuid, event_id uuid, organisation_id uuid or null, received_at timestamptz or null,
--   attachment_count integer or null, envelope bytea or null, has_maps boolean or null, has_version_1 boolean or null

with taken (app_id, event_id, place) as materialized (select app_id, event_id, 1 from unread_events where app_id = $1::uuid and event_id = $2::uuid)
  select taken.app_id, taken.event_id, apps.organisation_id, received_at,
    json_array_length(attachments) as attachment_count,
    case when octet_length(envelope) <= 65536 then envelope end as envelope,
    exists (select from source_maps where source_maps.app_id = events.app_id and not replaced and unusable_reason is null) as has_maps,
    exists (select from problem_hashes where problem_hashes.app_id = events.app_id and rule_version = 1
      and not retired) as has_version_1
  from taken left join events on events.app_id = taken.app_id and events.id = taken.event_id
  left join apps on apps.id = events.app_id
  order by place, taken.event_id;
