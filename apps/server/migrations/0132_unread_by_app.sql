-- Readers take turns among apps: each finds the oldest unread event of every app, however many one of them has.
alter table unread_events drop constraint unread_events_pkey, add primary key (app_id, event_id);
comment on table unread_events is 'Events that were accepted and are not in the inbox of their app yet, written with them and worked off app by app, each in the order of its ids.';
