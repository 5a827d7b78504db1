-- Cells: several databases with whole organisations in each. The directory lies in the database of DATABASE_URL, which is the
-- cell "home", and says where organisations live. It is empty where there are no other cells, and in the other cells.

create table cells (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  sealed_url text check ((sealed_url is null) = (name = 'home')),
  created_at timestamptz not null default now()
);
comment on table cells is 'Databases with whole organisations in them. Without a row there is only the one of DATABASE_URL.';
comment on column cells.sealed_url is 'Its connection string, encrypted; null for home.';

create table cell_organisations (
  organisation_id uuid primary key,
  cell text not null references cells
);
create index on cell_organisations (cell);
comment on table cell_organisations is 'The one cell in which an organisation lives, from when somebody first asked for it.';

create table cell_credentials (
  sha256 bytea primary key,
  organisation_id uuid not null references cell_organisations on delete cascade
);
comment on table cell_credentials is 'The organisation of a token or key: found in a cell once, so that the cells need not be asked again. Whether it is valid, its cell says.';

-- What each cell knows of itself.
create table cell_identity (
  id boolean primary key default true check (id),
  name text not null
);
comment on table cell_identity is 'The name of the cell that this database is, where there are several.';

create table cell_departures (
  organisation_id uuid primary key,
  to_cell text not null,
  state text not null default 'copied' check (state in ('copied', 'held', 'left')),
  begun_at timestamptz not null default now()
);
comment on table cell_departures is 'Organisations that move from this cell to another one, or have moved. copied: it works on here, and changes are noted; held: writes are refused; left: it lives there.';

create table cell_arrivals (
  organisation_id uuid primary key,
  from_cell text not null,
  arrived_at timestamptz not null default now()
);
comment on table cell_arrivals is 'Organisations that have come from another cell: written with their rows, it decides that they live here.';

create table cell_changes (
  n bigint generated always as identity primary key,
  organisation_id uuid not null,
  table_name text not null,
  key jsonb not null
);
comment on table cell_changes is 'Rows that were written or deleted since their organisation began to be copied, by their primary keys.';

-- What a trigger of every table does while an organisation moves to another cell: `lodged cell move` makes the triggers, and
-- drops them again. A writer holds the lock, shared, until the end of its transaction; the move takes it alone, so that it has
-- all that was written before.
create function cell_note(leaving uuid[], written text, row_key jsonb) returns void language plpgsql as $$
declare
  id uuid;
  is_state text;
begin
  perform pg_advisory_xact_lock_shared(5063431026);
  foreach id in array leaving loop
    select state into is_state from cell_departures where organisation_id = id;
    if is_state = 'copied' then
      if row_key is not null then
        insert into cell_changes (organisation_id, table_name, key) values (id, written, row_key);
      end if;
    -- Its workers may still find rows of one that has left, which are about to be deleted.
    elsif is_state = 'held'
      or is_state = 'left' and current_setting('application_name') !~ '^lodged (worker|upkeep)' then
      raise exception 'the organisation % moves to another cell', id using errcode = 'LG001';
    end if;
  end loop;
end $$;
