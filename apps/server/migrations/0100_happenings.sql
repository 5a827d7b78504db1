-- What people must be told besides of comments: in their inboxes, by e-mail, and by webhooks of the organisation.

create table happenings (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('subscriber.disabled', 'delivery.dead', 'quota.warning', 'organisation.suspended',
    'run.held', 'run.asked', 'run.finished')),
  subject text not null,
  details jsonb not null,
  created_at timestamptz not null,
  told_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, kind, subject)
);
create index happenings_untold on happenings (id) where told_at is null;
create index on happenings (created_at);
comment on table happenings is 'What an organisation must be told. It is told once, within seconds, and forgotten after 90 days.';
comment on column happenings.subject is 'What it is about: of a kind, each is told once.';

create table organisation_hooks (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  url text not null,
  secret text not null,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  last_failure text,
  primary key (organisation_id, id)
);
comment on table organisation_hooks is 'Where an organisation wants to hear, by signed messages, of what it must be told.';
comment on column organisation_hooks.last_failure is 'Why the latest attempt failed; null where it succeeded.';

insert into graphile_worker._private_tasks (identifier) values ('post_happening'), ('warn_of_quota') on conflict do nothing;

alter table notices
  alter column ticket_id drop not null,
  add column app_id uuid,
  add column text text,
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in ('mentioned', 'assigned', 'commented', 'run_finished', 'run_asked',
    'run_held', 'subscriber_disabled', 'delivery_dead', 'quota_warning', 'organisation_suspended'));
comment on column notices.text is 'What is to be told, where it is no comment.';

alter table notice_choices
  drop constraint notice_choices_mail_check,
  drop constraint notice_choices_slack_check,
  add constraint notice_choices_mail_check check (mail <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended}'),
  add constraint notice_choices_slack_check check (slack <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended}');
comment on table notice_choices is 'Which kinds of notices a member is sent by e-mail and to Slack. Admins are mailed what the organisation must be told, unless they choose otherwise; nobody is sent anything else that he has not chosen.';
update notice_choices set mail = mail || '{run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended}'
from members
where members.organisation_id = notice_choices.organisation_id and members.user_id = notice_choices.user_id
  and members.role in ('owner', 'admin');

alter table agent_runs add column requested_by_user_id uuid references users on delete set null;
comment on column agent_runs.requested_by_user_id is 'Who assigned its ticket to the agent; null for a token or an app.';

create or replace function record_run_state() returns trigger language plpgsql as $$
begin
  insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
  select new.organisation_id, new.ticket_id, 'run.changed',
    case when new.changed_by_name is null then organisations.agent_user_id else new.changed_by_user_id end,
    coalesce(new.changed_by_name, users.name),
    jsonb_strip_nulls(jsonb_build_object('runState', new.state, 'runReason', new.reason)), new.changed_at
  from organisations join users on users.id = organisations.agent_user_id
  where organisations.id = new.organisation_id;
  if new.state not in ('queued', 'running') then
    insert into happenings (organisation_id, kind, subject, details, created_at)
    values (new.organisation_id,
      case new.state when 'held' then 'run.held' when 'awaiting_input' then 'run.asked' else 'run.finished' end,
      new.id || ' ' || new.changed_at,
      jsonb_strip_nulls(jsonb_build_object('runId', new.id, 'ticketId', new.ticket_id, 'state', new.state,
        'reason', new.reason, 'question', case when new.state = 'awaiting_input' then new.question end,
        'summary', new.summary, 'branch', new.branch, 'pullRequestUrl', new.pull_request_url,
        'requestedByUserId', new.requested_by_user_id)),
      new.changed_at)
    on conflict do nothing;
  end if;
  return null;
end $$;
