-- What reports are about: events read into the inbox of their app, and those of one kind as one problem.

create table unread_events (
  app_id uuid not null,
  event_id uuid primary key
);
comment on table unread_events is 'Events that were accepted and are not in the inbox of their app yet, written with them and worked off in the order of their ids.';

create table problems (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null unique default uuidv7(),
  kind text not null,
  title text not null,
  culprit text,
  state text not null default 'open' check (state in ('open', 'resolved', 'muted')),
  state_changed_at timestamptz,
  state_changed_by_user_id uuid references users on delete set null,
  resolved_version text,
  resolved_version_key text collate "C",
  muted_until timestamptz,
  reopened_at timestamptz,
  reopened_version text,
  event_count bigint not null default 0,
  install_count integer not null default 0,
  first_seen_at timestamptz not null,
  first_event_id uuid not null,
  first_version text,
  last_seen_at timestamptz not null,
  last_event_id uuid not null,
  last_version text,
  primary key (app_id, id),
  foreign key (organisation_id, app_id) references apps on delete cascade
);
create index on problems (app_id, last_seen_at, id);
create index on problems (app_id, event_count, last_seen_at, id);
comment on table problems is 'What several events are about. Its counts are the sums of its hashes.';
comment on column problems.resolved_version_key is 'The version as text that sorts as versions do; null where it has no numbers to compare.';
comment on column problems.muted_until is 'When it is open again; null with the state muted for never.';
comment on column problems.first_event_id is 'Like last_event_id, an event whose content may be gone.';

create table problem_hashes (
  app_id uuid not null,
  hash uuid not null,
  problem_id uuid not null,
  rule text not null,
  rule_version smallint not null,
  strings jsonb not null,
  event_count bigint not null default 0,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (app_id, hash),
  foreign key (app_id, problem_id) references problems on delete cascade
);
create index on problem_hashes (app_id, problem_id);
comment on table problem_hashes is 'What the occurrences of a problem are recognised by. Merging and splitting problems changes its problem_id alone.';
comment on column problem_hashes.hash is 'The first 16 bytes of a SHA-256 of the rule, its version and the strings, as a UUID of version 8.';
comment on column problem_hashes.strings is 'Exactly what was hashed.';

create table event_summaries (
  app_id uuid not null,
  event_id uuid not null,
  hash uuid,
  received_at timestamptz not null,
  kind text not null,
  title text not null,
  message text not null,
  environment text,
  version text,
  install uuid,
  user_id text,
  user_email text,
  user_name text,
  attachment_count smallint not null,
  facets text[] not null,
  search_text text check ((search_text is null) = (hash is not null)),
  primary key (app_id, event_id),
  foreign key (app_id, event_id) references events on delete cascade
);
create index on event_summaries (app_id, hash, received_at, event_id) where hash is not null;
create index event_summaries_single on event_summaries (app_id, received_at, event_id) where hash is null;
create index event_summaries_facets on event_summaries using gin (facets) where hash is null;
create index event_summaries_search on event_summaries using gin (search_text gin_trgm_ops) where hash is null;
comment on table event_summaries is 'What lists show of an event, read out of its envelope. Goes with its content.';
comment on column event_summaries.hash is 'What it is recognised by; null for a single report, which belongs to no problem.';
comment on column event_summaries.install is 'Like active_installs.install.';
comment on column event_summaries.facets is 'What inboxes are filtered by: environment:…, version:…, tag:name=value, kind:…, attachments.';
comment on column event_summaries.search_text is 'What a single report is searched by. Those of problems are in problem_texts.';

create table problem_texts (
  app_id uuid not null,
  hash uuid not null,
  digest uuid not null,
  search_text text not null,
  primary key (app_id, hash, digest),
  foreign key (app_id, hash) references problem_hashes on delete cascade
);
create index problem_texts_search on problem_texts using gin (search_text gin_trgm_ops);
comment on table problem_texts is 'What the occurrences of a hash are searched by, each different text once, some 50 in all.';

create table problem_facets (
  app_id uuid not null,
  hash uuid not null,
  facet text not null,
  event_count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (app_id, hash, facet),
  foreign key (app_id, hash) references problem_hashes on delete cascade
) with (fillfactor = 80);
create index on problem_facets (app_id, facet, hash);
comment on table problem_facets is 'What the occurrences of a hash have named, each once, some 600 in all: see event_summaries.facets.';

create table problem_installs (
  app_id uuid not null,
  hash uuid not null,
  install uuid not null,
  primary key (app_id, hash, install),
  foreign key (app_id, hash) references problem_hashes on delete cascade
);
comment on table problem_installs is 'The installs that a hash has affected, each once.';

create table problem_days (
  app_id uuid not null,
  hash uuid not null,
  day date not null,
  event_count integer not null,
  primary key (app_id, hash, day),
  foreign key (app_id, hash) references problem_hashes on delete cascade
) with (fillfactor = 80);
comment on table problem_days is 'How many occurrences of a hash were received on a day (UTC).';

create table app_facets (
  app_id uuid not null references apps (id) on delete cascade,
  facet text not null,
  event_count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (app_id, facet)
) with (fillfactor = 80);
comment on table app_facets is 'What the events of an app have named: versions, environments and tags, some 1,000 of each.';

create table app_hours (
  app_id uuid not null references apps (id) on delete cascade,
  kind text not null,
  hour timestamptz not null,
  event_count integer not null,
  primary key (app_id, hour, kind)
) with (fillfactor = 80);
comment on table app_hours is 'How many events of a kind an app has received in an hour.';
