-- What people are sent of their notices, where they want it.

create table notice_choices (
  organisation_id uuid not null references organisations on delete cascade,
  user_id uuid not null references users on delete cascade,
  mail text[] not null default '{}' check (mail <@ '{mentioned,assigned,commented}'),
  slack text[] not null default '{}' check (slack <@ '{mentioned,assigned,commented}'),
  slack_url text,
  sent_until timestamptz not null,
  primary key (organisation_id, user_id)
);
create index on notice_choices (user_id);
comment on table notice_choices is 'Which kinds of notices a member is sent by e-mail and to Slack. Nobody is sent any who has not chosen it.';
comment on column notice_choices.slack_url is 'The incoming webhook that a message goes to.';
comment on column notice_choices.sent_until is 'Notices until then were sent, or are not to be.';

insert into graphile_worker._private_tasks (identifier) values ('post_notices') on conflict do nothing;
