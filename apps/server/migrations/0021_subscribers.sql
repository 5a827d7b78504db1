-- Subscribers: who is sent the events of an app.

create table subscribers (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null unique default uuidv7(),
  -- Which kinds there are, the contract knows; here only how a board differs from all others, and e-mail from a webhook.
  kind text not null,
  url text check ((url is null) = (kind = 'board')),
  sealed_url text,
  url_sha256 bytea,
  board_id uuid check ((board_id is null) = (kind <> 'board')),
  column_id uuid,
  filter jsonb check (jsonb_typeof(filter) = 'object'),
  per_minute integer check (per_minute between 1 and 600000),
  ordered boolean not null default false,
  slot_at timestamptz,
  enabled boolean not null default true,
  disabled_at timestamptz check ((disabled_at is null) = enabled),
  disabled_reason text,
  failing_since timestamptz,
  consecutive_failures integer not null default 0,
  pauses integer not null default 0,
  paused_until timestamptz,
  confirmed_at timestamptz,
  confirmation_sha256 bytea unique,
  confirmation_sent_at timestamptz,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (app_id, id),
  constraint subscribers_confirmed check (kind <> 'email' or confirmed_at is not null or not enabled),
  constraint subscribers_mails_per_minute
    check (kind <> 'email' or per_minute between 1 and 60 and per_minute is not null),
  foreign key (organisation_id, app_id) references apps on delete cascade,
  foreign key (organisation_id, board_id) references boards on delete cascade,
  foreign key (organisation_id, column_id) references columns on delete set null (column_id)
);
-- Another one may take the place of a subscriber that is being deleted.
create unique index on subscribers (app_id, kind, url_sha256) where deleted_at is null;
create unique index on subscribers (app_id, board_id) where deleted_at is null;
create index on subscribers (deleted_at) where deleted_at is not null;
create index subscribers_filtered on subscribers (app_id) where filter is not null;
create index on subscribers (organisation_id, board_id) where board_id is not null;
create index on subscribers (organisation_id, column_id) where column_id is not null;
comment on table subscribers is 'Who is sent the events of an app.';
comment on column subscribers.url is 'Where messages go, as much of it as members may read.';
comment on column subscribers.sealed_url is 'The whole address, encrypted; null where url is the whole.';
comment on column subscribers.url_sha256 is 'Of the whole address: an app has each once.';
comment on column subscribers.column_id is 'Where a board files its cards; null for its leftmost column.';
comment on column subscribers.filter is 'SubscriberFilter of the contract; null for all events.';
comment on column subscribers.per_minute is 'The rate limit of attempts, spread over the minute by the second; null for none.';
comment on column subscribers.ordered is 'Whether it is sent one event after the other, in the order in which they were accepted: one that fails holds up those behind it.';
comment on column subscribers.slot_at is 'When the attempts so far are all paid for, at the rate of per_minute.';
comment on column subscribers.failing_since is 'The first failure since the last success; null where the last attempt succeeded.';
comment on column subscribers.pauses is 'How many times in a row it was paused for failing. Each pause is twice as long as the one before.';
comment on column subscribers.paused_until is 'Nothing is attempted before; then one delivery is tried, and the others if that succeeds.';
comment on column subscribers.confirmed_at is 'Since when the owner of its address wants its e-mails; null for any other kind, and while that is waited for.';
comment on column subscribers.confirmation_sha256 is 'The SHA-256 of the secret in the link that confirms it; null where there is none.';
comment on column subscribers.deleted_at is 'When it was deleted: nobody sees it any more, and its deliveries are deleted in steps, then the row.';

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
comment on table signing_secrets is 'The secrets that sign a webhook''s messages, all that have not expired; or the token of GitHub issues.';
comment on column signing_secrets.secret is 'Encrypted.';
comment on column signing_secrets.expires_at is 'Set when another one takes its place.';

create table subscriber_hours (
  app_id uuid not null,
  subscriber_id uuid not null,
  hour timestamptz not null,
  delivered_count integer not null default 0,
  failed_count integer not null default 0,
  total_ms bigint not null default 0,
  primary key (app_id, subscriber_id, hour),
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
) with (fillfactor = 80);
comment on table subscriber_hours is 'How many attempts at a subscriber in an hour succeeded and failed. Workers add their counts every few seconds; one that is killed loses its last.';
comment on column subscriber_hours.total_ms is 'How long those attempts took together.';

create table told_hashes (
  app_id uuid not null references apps (id) on delete cascade,
  hash uuid not null,
  told_at timestamptz not null default now(),
  primary key (app_id, hash)
);
create index on told_hashes (told_at);
comment on table told_hashes is 'The hashes of reports that came first, where a subscriber wants only the first of each problem; kept until problem_hashes has them.';

-- The task of subscribers/wake-subscribers.ts: statements can only add jobs of tasks that the queue knows.
insert into graphile_worker._private_tasks (identifier) values ('wake_subscribers') on conflict do nothing;
