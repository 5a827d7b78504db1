-- What is deleted on request, and how far the sweep of the store has come.

create table erasures (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  subject_kind text not null check (subject_kind in ('user', 'email', 'install')),
  subject_digest bytea not null,
  requested_by_user_id uuid references users on delete set null,
  requested_by_name text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  event_count integer not null default 0,
  attachment_count integer not null default 0,
  attachment_bytes bigint not null default 0,
  thread_count integer not null default 0,
  message_count integer not null default 0,
  card_count integer not null default 0,
  delivered_count integer not null default 0,
  primary key (organisation_id, id)
);
create unique index on erasures (organisation_id, subject_kind, subject_digest) where finished_at is null;
comment on table erasures is 'Requests to erase the data of one user, e-mail address or install, with the number of rows deleted. An unfinished one continues when it is requested again.';
comment on column erasures.subject_digest is 'A SHA-256 of the organisation, the kind and the value.';
comment on column erasures.requested_by_name is 'The name at that time; that of the command where nobody was signed in.';
comment on column erasures.delivered_count is 'How many deliveries of its events had reached others, who still have them.';

create table store_sweeps (
  id boolean primary key default true check (id),
  swept_until timestamptz not null
);
comment on table store_sweeps is 'One row: until when every file in the store is known to belong to an event.';
