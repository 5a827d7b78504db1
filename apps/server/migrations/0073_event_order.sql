-- The order in which programs are told of events that ask for them.

alter table events add column transaction_id xid8 not null default '0';
alter table events alter column transaction_id set default pg_current_xact_id();
create index on events (app_id, transaction_id, id);
comment on column events.transaction_id is 'The transaction that accepted it; 0 for one that came before there was this column, or from another database. With the id it is its place among the events of all apps.';
