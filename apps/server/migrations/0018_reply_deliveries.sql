-- A reporter's answer is fanned out to the subscribers of its app as well.

alter table deliveries add column message_number integer;
alter table deliveries drop constraint deliveries_app_id_event_id_subscriber_id_key;
create unique index on deliveries (app_id, event_id, subscriber_id, message_number) nulls not distinct;
comment on table deliveries is 'One event, or one answer of its reporter, to one subscriber.';
comment on column deliveries.message_number is 'The message of the event''s thread that it tells of; null where it tells of the event.';
