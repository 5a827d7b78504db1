-- Reports as they were received. Large rows lie in partitions by time, so that days whose retention is over are dropped and
-- not deleted row by row (docs/decisions/retention.md). Nothing refers to an event by a foreign key, nor an event to its app:
-- a partition that refers or is referred to cannot be exchanged without locking the other table.

create table events (
  app_id uuid not null,
  id uuid not null default uuidv7(),
  report_id text not null,
  sdk_key_id uuid not null,
  envelope bytea not null,
  original bytea,
  attachments json not null default '[]',
  filtered json,
  delivery_count integer not null default 0,
  received_at timestamptz not null default now(),
  transaction_id xid8 not null default pg_current_xact_id(),
  traceparent text,
  primary key (app_id, id)
) partition by range (id);
create index on events (app_id, transaction_id, id);
create table events_1 partition of events for values from (minvalue) to (maxvalue);
comment on table events is 'A report as stored, in partitions by the time in its id. It outlives its artifacts.';
comment on column events.envelope is 'The JSON that was sent, byte for byte, decompressed.';
comment on column events.original is 'The event as one of Sentry''s SDKs sent it, byte for byte, decompressed; null for reports of Lodge''s own SDKs.';
comment on column events.attachments is 'The attachments as receivers are told of them; their artifacts come and go.';
comment on column events.filtered is 'Subscribers that were enabled when it was accepted and whose filter left it out, as a list of {subscriberId, by}; null for none.';
comment on column events.transaction_id is 'The transaction that accepted it; 0 for an event from another database. With the id it is its place among the events of all apps.';
comment on column events.traceparent is 'Where the request that brought it is in its trace, so that its deliveries are parts of the same one. Written only where traces are kept.';

-- Partition 1 is there from the start.
create sequence event_partition_numbers start 2;
create table event_partitions (
  number integer primary key,
  from_id uuid,
  until_id uuid,
  goes_whole boolean not null,
  has_orphans boolean not null default false,
  replaced_by integer,
  claimed_until timestamptz
);
insert into event_partitions (number, goes_whole) values (1, false);
comment on table event_partitions is 'The partitions of events and of event_summaries, named after the tables and their numbers.';
comment on column event_partitions.from_id is 'The first id that lies in it; null for the oldest.';
comment on column event_partitions.until_id is 'The first id that no longer lies in it; null for the newest.';
comment on column event_partitions.goes_whole is 'Whether its events are dropped together once all of them are old. In other partitions they are deleted one by one.';
comment on column event_partitions.has_orphans is 'Whether deliveries and threads of events that were dropped together are still to be deleted.';
comment on column event_partitions.replaced_by is 'The number of the tables that its remaining rows are being copied to; null again where one of its events was deleted meanwhile.';
comment on column event_partitions.claimed_until is 'Until when a worker that copies is assumed to be at work.';

create table report_ids (
  app_id uuid not null references apps (id) on delete cascade,
  digest uuid not null,
  event_id uuid not null,
  delivery_count integer not null,
  primary key (app_id, digest)
);
comment on table report_ids is 'All reports that were ever accepted: they are recognised when they are sent again, whether their events still exist or not.';
comment on column report_ids.digest is 'The first 16 bytes of a SHA-256 of the app and the reportId.';
comment on column report_ids.delivery_count is 'The number of deliveries in its receipt.';

create table refusals (
  app_id uuid not null references apps (id) on delete cascade,
  sdk_key_id uuid not null,
  code text not null,
  day date not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (app_id, day, sdk_key_id, code)
);
comment on table refusals is 'How many reports of an app were refused, by key, error code and day (UTC); nothing of their content.';
