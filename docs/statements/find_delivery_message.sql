-- find_delivery_message: written by npm run generate.
-- $1 organisationId uuid
-- $2 deliveryId uuid
-- returns id uuid, app_id uuid, subscriber_id uuid, app_name text, retry_count integer, replay_id uuid or null,
--   is_probe boolean, event_id uuid, report_id text, received_at timestamptz, envelope bytea or null,
--   reply json or null, attachments json, organisation_id uuid, board_id uuid or null, column_id uuid or null,
--   traceparent text or null, kind text, url text, sealed_url text or null, secrets text[]

with subscriber as materialized (
    select subscribers.*, false as is_single
    from subscribers join deliveries on deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id
    where subscribers.organisation_id = $1::uuid and subscribers.deleted_at is null and deliveries.id = $2::uuid
  ), taken as materialized (
    select deliveries.id, event_id, message_number, retry_count, replay_id, due_at
    from deliveries join subscriber on deliveries.app_id = subscriber.app_id
    where deliveries.id = $2::uuid
  )
  select taken.id, events.app_id, subscriber.id as subscriber_id, apps.name as app_name, retry_count, replay_id,
    is_single as is_probe, taken.event_id, report_id, received_at,
    case when subscriber.kind <> 'webhook' or octet_length(envelope) <= 262144
      then envelope end as envelope,
    case when messages.number is not null then json_build_object('threadId', messages.thread_id, 'number', messages.number,
      'text', messages.text, 'createdAt', messages.created_at) end as reply,
    events.attachments, subscriber.organisation_id, board_id, column_id, traceparent,
    subscriber.kind, coalesce(subscriber.url, '') as url, subscriber.sealed_url,
    array(select secret from signing_secrets
      where signing_secrets.app_id = (select app_id from subscriber) and subscriber_id = (select id from subscriber) and (expires_at is null or expires_at > now())
      order by created_at desc, signing_secrets.id desc) as secrets
  from taken
  cross join lateral (select * from events where events.app_id = (select app_id from subscriber) and events.id = taken.event_id offset 0) events
  join apps on apps.id = (select app_id from subscriber)
  left join lateral (
    select id from threads
    where threads.app_id = (select app_id from subscriber) and threads.event_id = taken.event_id and taken.message_number is not null offset 0
  ) threads on true
  left join lateral (
    select * from messages
    where messages.app_id = (select app_id from subscriber) and messages.thread_id = threads.id and messages.number = taken.message_number offset 0
  ) messages on true
  cross join subscriber
  order by taken.due_at;
