-- Reports as they were received.

create table events (
  app_id uuid not null references apps (id) on delete cascade,
  id uuid not null default uuidv7(),
  report_id text not null,
  sdk_key_id uuid not null,
  envelope bytea not null,
  delivery_count integer not null default 0,
  received_at timestamptz not null default now(),
  primary key (app_id, id),
  unique (app_id, report_id)
);
comment on table events is 'A report as stored. It outlives its artifacts, and de-duplicates for ever.';
comment on column events.envelope is 'The JSON that was sent, byte for byte, decompressed.';

create table artifacts (
  app_id uuid not null,
  event_id uuid not null,
  position smallint not null,
  part_name text not null,
  filename text,
  content_type text,
  byte_length integer not null,
  sha256 bytea not null,
  store_key text not null unique,
  created_at timestamptz not null default now(),
  primary key (app_id, event_id, position),
  foreign key (app_id, event_id) references events on delete cascade
);
create index on artifacts (created_at);
comment on table artifacts is 'An attachment as stored. Its row goes with its bytes when its retention is over.';
comment on column artifacts.position is 'Its place in the envelope''s attachments, from 0.';
comment on column artifacts.part_name is 'Like filename and content_type, without the characters that a text column cannot hold.';

create table refusals (
  app_id uuid not null references apps (id) on delete cascade,
  sdk_key_id uuid not null,
  code text not null,
  day date not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (app_id, day, sdk_key_id, code)
);
comment on table refusals is 'How often a report of an app was refused, by key, error code and day (UTC); nothing of its content.';
