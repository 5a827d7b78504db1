-- Deliveries of events to subscribers, their attempts, and replays.

create table deliveries (
  app_id uuid not null,
  id uuid not null default uuidv7(),
  event_id uuid not null,
  subscriber_id uuid not null,
  message_number integer,
  replay_id uuid,
  state text not null default 'waiting' check (state in ('waiting', 'failed', 'delivered', 'dead')),
  due_at timestamptz not null default now(),
  claimed_by text,
  attempt_count integer not null default 0,
  retry_count integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz check ((settled_at is null) = (state in ('waiting', 'failed'))),
  primary key (app_id, id),
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
) with (fillfactor = 80);
create unique index on deliveries (app_id, event_id, subscriber_id, message_number) nulls not distinct;
create index on deliveries (app_id, subscriber_id, due_at) where state in ('waiting', 'failed');
create index on deliveries (app_id, subscriber_id) where state = 'dead';
comment on table deliveries is 'One event, or one answer of its reporter, to one subscriber.';
comment on column deliveries.message_number is 'The message of the event''s thread that it carries; null where it carries the event.';
comment on column deliveries.replay_id is 'The replay that last sent it; the replay may be deleted.';
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
create index on delivery_attempts using brin (started_at); -- rows come in the order of time, so it costs next to nothing
comment on table delivery_attempts is 'One attempt of a delivery.';
comment on column delivery_attempts.response is 'The first 4 KiB of the response body, as text.';
comment on column delivery_attempts.reason is 'Why it failed; null where it succeeded.';

create table replays (
  app_id uuid not null,
  subscriber_id uuid not null,
  id uuid not null unique default uuidv7(),
  state text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  from_at timestamptz not null,
  until_at timestamptz not null,
  again boolean not null,
  event_count integer not null,
  sent_count integer not null default 0,
  position uuid not null,
  next_at timestamptz not null default now(),
  started_by text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz check ((ended_at is null) = (state = 'running')),
  ended_by text,
  primary key (app_id, subscriber_id, id),
  foreign key (app_id, subscriber_id) references subscribers on delete cascade
);
create unique index on replays (app_id, subscriber_id) where state = 'running';
comment on table replays is 'Events of a stretch of time that are sent to a subscriber, a few each second.';
comment on column replays.again is 'Whether events that it has received are sent once more.';
comment on column replays.event_count is 'How many there were to send when it began.';
comment on column replays.position is 'The last event that was looked at.';
comment on column replays.ended_by is 'Who cancelled it, or why it ended early.';

-- The task of deliveries/replay-events.ts: statements can only add jobs of tasks that the queue knows.
insert into graphile_worker._private_tasks (identifier) values ('replay_events') on conflict do nothing;
