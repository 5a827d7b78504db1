-- Attachments of reports; their bytes are in the store.

create table artifacts (
  app_id uuid not null references apps (id) on delete cascade,
  event_id uuid not null,
  position smallint not null,
  part_name text not null,
  filename text,
  content_type text,
  byte_length integer not null,
  sha256 bytea not null,
  store_key text not null unique,
  created_at timestamptz not null default now(),
  primary key (app_id, event_id, position)
);
create index on artifacts (created_at);
comment on table artifacts is 'An attachment as stored. Its row is deleted with its bytes when its retention is over.';
comment on column artifacts.position is 'Its place in the envelope''s attachments, from 0.';
comment on column artifacts.part_name is 'Like filename and content_type, without the characters that a text column cannot hold.';
