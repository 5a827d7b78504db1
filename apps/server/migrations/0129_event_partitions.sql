-- What is large of events lies in partitions by time, so that days whose retention is over are dropped and not deleted row by
-- row. Nothing refers to an event by a foreign key any more, nor an event to its app: a partition that refers or is referred to
-- cannot be exchanged without locking the other table.

alter table report_ids add foreign key (app_id) references apps (id) on delete cascade;

alter table artifacts drop constraint artifacts_app_id_event_id_fkey;
alter table artifacts add foreign key (app_id) references apps (id) on delete cascade;
alter table deliveries drop constraint deliveries_app_id_event_id_fkey;
alter table threads drop constraint threads_app_id_event_id_fkey;
alter table report_cards drop constraint report_cards_app_id_event_id_fkey;
alter table event_summaries drop constraint event_summaries_app_id_event_id_fkey;

alter table events rename to events_1;
alter index events_pkey rename to events_1_pkey;
alter index events_app_id_transaction_id_id_idx rename to events_1_app_id_transaction_id_id_idx;
create table events (like events_1 including defaults including comments) partition by range (id);
alter table events add primary key (app_id, id);
alter table events_1 drop constraint events_app_id_fkey;
create index on events (app_id, transaction_id, id);
alter table events attach partition events_1 for values from (minvalue) to (maxvalue);
comment on table events is 'A report as stored, in partitions by the time in its id. It outlives its artifacts.';

alter table event_summaries rename to event_summaries_1;
alter index event_summaries_pkey rename to event_summaries_1_pkey;
alter index event_summaries_app_id_hash_received_at_event_id_idx rename to event_summaries_1_app_id_hash_received_at_event_id_idx;
alter index event_summaries_single rename to event_summaries_1_single;
alter index event_summaries_facets rename to event_summaries_1_facets;
alter index event_summaries_search rename to event_summaries_1_search;
alter index event_summaries_app_id_user_id_event_id_idx rename to event_summaries_1_app_id_user_id_event_id_idx;
alter index event_summaries_app_id_lower_event_id_idx rename to event_summaries_1_app_id_lower_event_id_idx;
alter index event_summaries_app_id_install_hash_event_id_idx rename to event_summaries_1_app_id_install_hash_event_id_idx;
create table event_summaries (
  like event_summaries_1 including defaults including constraints including comments
) partition by range (event_id);
alter table event_summaries add primary key (app_id, event_id);
create index on event_summaries (app_id, hash, received_at, event_id) where hash is not null;
create index event_summaries_single on event_summaries (app_id, received_at, event_id) where hash is null;
create index event_summaries_facets on event_summaries using gin (facets) where hash is null;
create index event_summaries_search on event_summaries using gin (search_text gin_trgm_ops) where hash is null;
create index on event_summaries (app_id, user_id, event_id) where user_id is not null;
create index on event_summaries (app_id, lower(user_email), event_id) where user_email is not null;
create index on event_summaries (app_id, install, hash, event_id) where install is not null;
alter table event_summaries attach partition event_summaries_1 for values from (minvalue) to (maxvalue);
comment on table event_summaries is 'What lists show of an event, read out of its envelope. Goes with its content, in partitions of the same times.';

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
comment on column event_partitions.goes_whole is 'That its events go together once all of them are old. In the others they go one by one, as in those that hold what was to stay.';
comment on column event_partitions.has_orphans is 'That deliveries and threads of events that went together are still to be deleted.';
comment on column event_partitions.replaced_by is 'The number of the tables that what stays of it is being copied to; null again where one of its events was deleted meanwhile.';
comment on column event_partitions.claimed_until is 'Until when a worker that copies is taken to be at work.';

analyze events, event_summaries;
