-- How a subscriber has fared over time.

create table subscriber_hours (
  app_id uuid not null,
  subscriber_id uuid not null,
  hour timestamptz not null,
  delivered_count integer not null default 0,
  failed_count integer not null default 0,
  total_ms bigint not null default 0,
  primary key (app_id, subscriber_id, hour),
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
) with (fillfactor = 80);
comment on table subscriber_hours is 'How many attempts at a subscriber in an hour succeeded and failed. Workers add what they have counted every few seconds; one that is killed forgets its last.';
comment on column subscriber_hours.total_ms is 'How long those attempts took together.';
