-- What people and organisations are told: in the dashboard, by e-mail, in Slack, and by webhooks of the organisation.

create table happenings (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('subscriber.disabled', 'delivery.dead', 'quota.warning', 'organisation.suspended',
    'disk.low', 'run.held', 'run.asked', 'run.finished')),
  subject text not null,
  details jsonb not null,
  created_at timestamptz not null,
  told_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, kind, subject)
);
create index happenings_untold on happenings (id) where told_at is null;
create index on happenings (created_at);
comment on table happenings is 'What an organisation must be told. It is told once, within seconds; the row is deleted after 90 days.';
comment on column happenings.subject is 'What it is about: one of a kind and subject is told once.';

create table notices (
  organisation_id uuid not null references organisations on delete cascade,
  user_id uuid not null references users on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('mentioned', 'assigned', 'commented', 'run_finished', 'run_asked', 'run_held',
    'subscriber_disabled', 'delivery_dead', 'quota_warning', 'organisation_suspended', 'disk_low')),
  ticket_id uuid,
  comment_id uuid,
  app_id uuid,
  actor_name text not null,
  text text,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (organisation_id, user_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index on notices (ticket_id);
create index on notices (user_id) where read_at is null;
create index on notices (created_at);
comment on table notices is 'A notification of a member. Kept for 90 days.';
comment on column notices.actor_name is 'The name, at that time, of who did it.';
comment on column notices.text is 'What it says, where it is about no comment.';
comment on column notices.read_at is 'When the member read it; null while it is unread.';

create table notice_choices (
  organisation_id uuid not null references organisations on delete cascade,
  user_id uuid not null references users on delete cascade,
  mail text[] not null default '{}' check (mail <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low}'),
  slack text[] not null default '{}' check (slack <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low}'),
  slack_url text,
  sent_until timestamptz not null,
  primary key (organisation_id, user_id)
);
create index on notice_choices (user_id);
comment on table notice_choices is 'Which kinds of notifications a member is sent by e-mail and to Slack. Admins are mailed what the organisation must be told, unless they choose otherwise; nobody is sent anything else that they have not chosen.';
comment on column notice_choices.slack_url is 'The incoming webhook that a message goes to, encrypted.';
comment on column notice_choices.sent_until is 'Notifications until then were sent, or are not to be.';

create table organisation_hooks (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  url text not null,
  sealed_url text,
  secret text not null,
  previous_secret text,
  previous_ends_at timestamptz,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  last_failure text,
  primary key (organisation_id, id),
  check ((previous_secret is null) = (previous_ends_at is null))
);
comment on table organisation_hooks is 'A webhook of an organisation: it receives, by signed messages, what the organisation must be told.';
comment on column organisation_hooks.url is 'Where messages go, without a query.';
comment on column organisation_hooks.sealed_url is 'The whole address, encrypted; null where url is the whole.';
comment on column organisation_hooks.secret is 'Encrypted.';
comment on column organisation_hooks.previous_secret is 'The secret before, encrypted, which signs as well until previous_ends_at.';
comment on column organisation_hooks.last_failure is 'Why the latest attempt failed; null where it succeeded.';

insert into graphile_worker._private_tasks (identifier)
values ('post_notices'), ('post_happening'), ('warn_of_quota'), ('warn_of_disks') on conflict do nothing;
