-- What was erased on request, and what finds it.

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
comment on table erasures is 'Requests to erase what one user, e-mail address or install has sent, with what went. One that is not finished goes on when it is asked for again.';
comment on column erasures.subject_digest is 'A SHA-256 of the organisation, the kind and the value.';
comment on column erasures.requested_by_name is 'The name as it was then; that of the command where nobody was signed in.';
comment on column erasures.delivered_count is 'How many deliveries of its events had reached others, who still have them.';

create index on event_summaries (app_id, user_id, event_id) where user_id is not null;
create index on event_summaries (app_id, lower(user_email), event_id) where user_email is not null;
create index on event_summaries (app_id, install, hash, event_id) where install is not null;
