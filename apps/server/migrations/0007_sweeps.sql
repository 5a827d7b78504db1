-- How far the sweep for files without an event has come.

create table store_sweeps (
  id boolean primary key default true check (id),
  swept_until timestamptz not null
);
comment on table store_sweeps is 'One row: until when every file in the store is known to belong to an event.';
