-- Events of a stretch of time sent to a subscriber again, or for the first time.

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
comment on table replays is 'Events of a stretch of time on their way to a subscriber, a few each second.';
comment on column replays.again is 'Whether what it has received is sent once more.';
comment on column replays.event_count is 'How many there were to send when it began.';
comment on column replays.position is 'The last event that was looked at.';
comment on column replays.ended_by is 'Who cancelled it, or why it ended early.';

alter table deliveries add column replay_id uuid;
comment on column deliveries.replay_id is 'The replay that it was last sent by; it may be gone.';

-- The task of deliveries/replay-events.ts: statements can add jobs only for a task that the queue knows.
insert into graphile_worker._private_tasks (identifier) values ('replay_events') on conflict do nothing;
