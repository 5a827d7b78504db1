-- What reporters and the team write to each other.

create table threads (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null unique default uuidv7(),
  event_id uuid not null unique,
  device_id uuid not null,
  message_count integer not null default 0,
  team_number integer not null default 0,
  read_number integer not null default 0,
  last_message_at timestamptz,
  closed_at timestamptz,
  closed_by_user_id uuid references users on delete set null,
  closed_by_name text,
  created_at timestamptz not null default now(),
  primary key (app_id, id),
  foreign key (organisation_id, app_id) references apps on delete cascade
);
create index on threads (device_id) where message_count > 0;
create index on threads (organisation_id, last_message_at desc, id desc) where message_count > 0;
create index threads_awaiting on threads (organisation_id, last_message_at desc, id desc)
  where message_count > team_number and closed_at is null;
comment on table threads is 'The conversation on a report, made with its event where the app has replies on.';
comment on column threads.device_id is 'Who may list it with a device''s token: the install that sent the report, or this report alone.';
comment on column threads.team_number is 'The number of the latest message from the team; 0 for none.';
comment on column threads.read_number is 'The number up to which the reporter has confirmed the messages.';
comment on column threads.closed_by_name is 'The name of the member at that time.';

create table messages (
  app_id uuid not null,
  thread_id uuid not null,
  number integer not null,
  client_id uuid,
  author text not null check (author in ('reporter', 'team')),
  author_user_id uuid references users on delete set null,
  author_name text check ((author_name is null) = (author = 'reporter')),
  text text not null check (char_length(text) between 1 and 20000),
  created_at timestamptz not null default now(),
  primary key (app_id, thread_id, number),
  foreign key (app_id, thread_id) references threads on delete cascade
);
create unique index on messages (app_id, thread_id, author, client_id) where client_id is not null;
comment on table messages is 'A message in a thread, numbered from 1 without gaps.';
comment on column messages.client_id is 'The sender''s id of it, so that a retry does not post it twice.';
comment on column messages.author_name is 'The name of the member at that time.';

create table thread_reads (
  app_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null references users on delete cascade,
  number integer not null,
  primary key (app_id, thread_id, user_id),
  foreign key (app_id, thread_id) references threads on delete cascade
);
create index on thread_reads (user_id);
comment on table thread_reads is 'The number of the last message of a thread that a member has read. Messages before the team''s latest answer count as read by everybody.';
