-- The directory lies in the database of DATABASE_URL, which is the cell "home", and says where organisations live. It is
-- empty where there are no other cells, and in these.
create table cells (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  sealed_url bytea check ((sealed_url is null) = (name = 'home')),
  created_at timestamptz not null default now()
);
comment on table cells is 'Databases with whole organisations in them. Without a row there is but the one of DATABASE_URL.';
comment on column cells.sealed_url is 'Its connection string, encrypted with a key that is made of LODGE_SECRET; null for home.';

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
comment on table cell_credentials is 'Whose a token or key is: found in a cell once, so that no cell need be asked again. Whether it is good, its cell says.';

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
comment on table cell_departures is 'Organisations that move from this cell to another one, or have. copied: it works on here, and what changes is noted; held: whoever writes is refused; left: it lives there.';

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

-- A run that comes from another cell has its history with it.
create or replace function record_run_state() returns trigger language plpgsql as $$
begin
  if current_setting('lodge.moving', true) = 'on' then return null; end if; -- its rows come as well
  insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
  select new.organisation_id, new.ticket_id, 'run.changed',
    case when new.changed_by_name is null then organisations.agent_user_id else new.changed_by_user_id end,
    coalesce(new.changed_by_name, users.name),
    jsonb_strip_nulls(jsonb_build_object('runState', new.state, 'runReason', new.reason)), new.changed_at
  from organisations join users on users.id = organisations.agent_user_id
  where organisations.id = new.organisation_id;
  if new.state not in ('queued', 'running') then
    insert into happenings (organisation_id, kind, subject, details, created_at)
    values (new.organisation_id,
      case new.state when 'held' then 'run.held' when 'awaiting_input' then 'run.asked' else 'run.finished' end,
      new.id || ' ' || new.changed_at,
      jsonb_strip_nulls(jsonb_build_object('runId', new.id, 'ticketId', new.ticket_id, 'state', new.state,
        'reason', new.reason, 'question', case when new.state = 'awaiting_input' then new.question end,
        'summary', new.summary, 'branch', new.branch, 'pullRequestUrl', new.pull_request_url,
        'requestedByUserId', new.requested_by_user_id)),
      new.changed_at)
    on conflict do nothing;
  end if;
  return null;
end $$;
