-- Who is told of an event, and what became of telling them.

create table subscribers (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null unique default uuidv7(),
  kind text not null check (kind in ('webhook', 'slack', 'board')),
  url text check ((url is null) = (kind = 'board')),
  board_id uuid check ((board_id is null) = (kind <> 'board')),
  column_id uuid,
  enabled boolean not null default true,
  disabled_at timestamptz check ((disabled_at is null) = enabled),
  disabled_reason text,
  failing_since timestamptz,
  consecutive_failures integer not null default 0,
  pauses integer not null default 0,
  paused_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, id),
  unique (app_id, kind, url),
  unique (app_id, board_id),
  foreign key (organisation_id, app_id) references apps on delete cascade,
  foreign key (organisation_id, board_id) references boards on delete cascade,
  foreign key (organisation_id, column_id) references columns on delete set null (column_id)
);
create index on subscribers (organisation_id, board_id) where board_id is not null;
create index on subscribers (organisation_id, column_id) where column_id is not null;
comment on table subscribers is 'Who is told of the events of an app.';
comment on column subscribers.column_id is 'Where a board files its cards; null for its leftmost column.';
comment on column subscribers.failing_since is 'The first failure since the last success; null where the last attempt succeeded.';
comment on column subscribers.pauses is 'How often in a row it was left alone for failing. Each pause is twice as long as the one before.';
comment on column subscribers.paused_until is 'Nothing is attempted before; then one delivery is tried, and the others if that succeeds.';

create table signing_secrets (
  app_id uuid not null,
  subscriber_id uuid not null,
  id uuid not null default uuidv7(),
  secret text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (app_id, subscriber_id, id),
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
);
comment on table signing_secrets is 'What a webhook''s messages are signed with, each with all that have not expired. Kept readable, because signing needs it.';
comment on column signing_secrets.expires_at is 'Set when another one takes its place.';

alter table events add column attachments json not null default '[]';
comment on column events.attachments is 'The attachments as receivers are told of them; their artifacts come and go.';

create table deliveries (
  app_id uuid not null,
  id uuid not null default uuidv7(),
  event_id uuid not null,
  subscriber_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'failed', 'delivered', 'dead')),
  due_at timestamptz not null default now(),
  claimed_by text,
  attempt_count integer not null default 0,
  retry_count integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz check ((settled_at is null) = (state in ('waiting', 'failed'))),
  primary key (app_id, id),
  unique (app_id, event_id, subscriber_id),
  foreign key (app_id, event_id) references events on delete cascade,
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
) with (fillfactor = 80);
create index on deliveries (app_id, subscriber_id, due_at) where state in ('waiting', 'failed');
create index on deliveries (app_id, subscriber_id) where state = 'dead';
comment on table deliveries is 'One event to one subscriber.';
comment on column deliveries.state is 'waiting: not tried yet; failed: tried, and to be tried again; delivered and dead are settled.';
comment on column deliveries.claimed_by is 'The worker that attempts it at the moment.';
comment on column deliveries.retry_count is 'Steps of the retry schedule that were used up since it was accepted or sent again.';

create table delivery_attempts (
  app_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status smallint,
  response text,
  reason text,
  primary key (app_id, delivery_id, number),
  foreign key (app_id, delivery_id) references deliveries on delete cascade
);
comment on table delivery_attempts is 'One try at a delivery.';
comment on column delivery_attempts.response is 'The first 4 KiB of the body that was answered, as text.';
comment on column delivery_attempts.reason is 'Why it failed; null where it succeeded.';

create table workers (
  id text primary key,
  started_at timestamptz not null default now()
);
comment on table workers is 'Processes that work jobs off. Each holds a session advisory lock named after its id; one whose lock is free is dead.';

alter table tickets add column app_id uuid, add column event_id uuid, add column delivery_id uuid;
alter table tickets add column origin text generated always as (
  case when event_id is not null then 'report' when author_token_id is not null then 'token' else 'person' end
) virtual;
create unique index on tickets (organisation_id, delivery_id) where delivery_id is not null;
comment on column tickets.event_id is 'The event of the app that it was filed for; it may be gone.';
comment on column tickets.delivery_id is 'The delivery that filed it: however often it is attempted, there is one card.';
comment on column tickets.origin is 'What it was filed by: report, token or person.';
