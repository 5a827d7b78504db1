-- What reports are about: events read into the inbox of their app, and events with one cause as one problem.

create table unread_events (
  app_id uuid not null,
  event_id uuid not null,
  primary key (app_id, event_id)
);
comment on table unread_events is 'Events that were accepted and are not in the inbox of their app yet. Readers take turns among apps, and read each app''s events in the order of their ids.';

-- Unlogged: a crash of PostgreSQL ends all turns. The column is not named app_id, since these rows are no data of an
-- organisation: they are neither exported nor moved to another cell.
create unlogged table reading_turns (
  of_app uuid primary key,
  reader text,
  until timestamptz not null,
  served_at timestamptz,
  failures smallint not null default 0
) with (fillfactor = 50);
comment on table reading_turns is 'The worker that reads the new reports of an app: it computes outside of any transaction.';
comment on column reading_turns.reader is 'Null while nobody reads them.';
comment on column reading_turns.until is 'Until then no other worker begins: the reader may have died, or the last turn failed.';
comment on column reading_turns.served_at is 'When the last turn ended. The app that was served longest ago comes first.';
comment on column reading_turns.failures is 'How many turns in a row have failed, or ended with the death of their reader.';

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
-- Finds cards that a reopened problem has yet to bring back: few problems are ever reopened.
create index on problems (reopened_at) where reopened_at is not null;
comment on table problems is 'A group of events with one cause. Its counts are the sums of its hashes.';
comment on column problems.resolved_version_key is 'The version as text that sorts as versions do; null where it has no numbers to compare.';
comment on column problems.muted_until is 'When it is open again; null with the state muted for never.';
comment on column problems.first_event_id is 'Like last_event_id, an event whose content may be deleted.';

create table problem_hashes (
  app_id uuid not null,
  hash uuid not null,
  problem_id uuid not null,
  rule text not null,
  rule_version smallint not null,
  strings jsonb not null,
  event_count bigint not null default 0,
  dropped_count bigint not null default 0,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (app_id, hash),
  foreign key (app_id, problem_id) references problems on delete cascade
);
create index on problem_hashes (app_id, problem_id);
comment on table problem_hashes is 'What the occurrences of a problem are recognised by. Merging and splitting problems changes its problem_id alone.';
comment on column problem_hashes.hash is 'The first 16 bytes of a SHA-256 of the rule, its version and the strings, as a UUID of version 8.';
comment on column problem_hashes.strings is 'Exactly what was hashed.';
comment on column problem_hashes.dropped_count is 'How many of its events retention has deleted; they still count.';

create table problem_texts (
  app_id uuid not null,
  hash uuid not null,
  digest uuid not null,
  search_text text not null,
  primary key (app_id, hash, digest),
  foreign key (app_id, hash) references problem_hashes on delete cascade
);
create index problem_texts_search on problem_texts using gin (search_text gin_trgm_ops);
comment on table problem_texts is 'The texts by which the occurrences of a hash are searched, each different text once, some 50 in all.';

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
comment on table problem_facets is 'The facets of the occurrences of a hash, each once, some 600 in all: see event_summaries.facets.';

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

-- In the partitions of events (event_partitions).
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
  read_failure text,
  primary key (app_id, event_id)
) partition by range (event_id);
create index on event_summaries (app_id, hash, received_at, event_id) where hash is not null;
create index event_summaries_single on event_summaries (app_id, received_at, event_id) where hash is null;
create index event_summaries_facets on event_summaries using gin (facets) where hash is null;
create index event_summaries_short on event_summaries
  using gin (search_text gin_trgm_ops, (six_grams(search_text) collate "C"))
  where hash is null and octet_length(search_text) <= 500;
create index event_summaries_long on event_summaries using gin (search_text gin_trgm_ops)
  where hash is null and octet_length(search_text) > 500;
create index on event_summaries (app_id, user_id, event_id) where user_id is not null;
create index on event_summaries (app_id, lower(user_email), event_id) where user_email is not null;
create index on event_summaries (app_id, install, hash, event_id) where install is not null;
create table event_summaries_1 partition of event_summaries for values from (minvalue) to (maxvalue);
comment on table event_summaries is 'What lists show of an event, read out of its envelope. It is deleted with its content, in partitions of the same times.';
comment on column event_summaries.hash is 'What it is recognised by; null for a single report, which belongs to no problem.';
comment on column event_summaries.install is 'Like active_installs.install.';
comment on column event_summaries.facets is 'What inboxes are filtered by: environment:…, version:…, tag:name=value, kind:…, attachments.';
comment on column event_summaries.search_text is 'The text by which a single report is searched. Those of problems are in problem_texts.';
comment on column event_summaries.read_failure is 'Why the report is shown as it came; null where it was read.';

create table app_facets (
  app_id uuid not null references apps (id) on delete cascade,
  facet text not null,
  event_count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (app_id, facet)
) with (fillfactor = 80);
comment on table app_facets is 'The versions, environments and tags of the events of an app, some 1,000 of each.';

create table app_hours (
  app_id uuid not null references apps (id) on delete cascade,
  kind text not null,
  hour timestamptz not null,
  event_count integer not null,
  primary key (app_id, hour, kind)
) with (fillfactor = 80);
comment on table app_hours is 'How many events of a kind an app has received in an hour.';

create table report_cards (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null default uuidv7(),
  problem_id uuid,
  event_id uuid,
  hash uuid,
  subscriber_id uuid,
  delivery_id uuid,
  ticket_id uuid,
  column_id uuid,
  returned_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, id),
  check ((problem_id is null) <> (event_id is null)),
  foreign key (organisation_id, app_id) references apps on delete cascade,
  foreign key (app_id, problem_id) references problems on delete cascade,
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create unique index on report_cards (app_id, problem_id, subscriber_id) where subscriber_id is not null;
create index on report_cards (app_id, problem_id) where problem_id is not null;
create index on report_cards (app_id, event_id) where event_id is not null;
create index on report_cards (organisation_id, ticket_id) where ticket_id is not null;
comment on table report_cards is 'A card of a problem or of an event: of a problem one for each board that subscribes to its app, and those that people have made.';
comment on column report_cards.hash is 'What the report is recognised by that a problem''s card was made of: where the problem is split, the card goes with it. Null where that is not known; the card stays then.';
comment on column report_cards.delivery_id is 'The delivery that files it; while the card has no ticket, another delivery files it only once that one has ended.';
comment on column report_cards.column_id is 'Where it was filed, and comes back to.';
comment on column report_cards.returned_at is 'The last reopening of the problem that was handled.';
