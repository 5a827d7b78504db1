-- Sentry's protocol.

create table unstored_items (
  app_id uuid not null references apps (id) on delete cascade,
  day date not null,
  type text not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (app_id, day, type)
);
comment on table unstored_items is 'The number of items of Sentry''s envelopes that were accepted but not stored, by app, day (UTC) and type.';
