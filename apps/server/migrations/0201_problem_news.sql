-- A team is told of problems that are new, came back, or occur more often than an app's settings allow.

alter table apps add column spike_events integer, add column spike_minutes integer,
  add check ((spike_events is null) = (spike_minutes is null));
comment on column apps.spike_events is 'The team is told when a problem occurs more often than this within spike_minutes; null for never.';

alter table problems add column reopened_event_id uuid;
comment on column problems.reopened_event_id is 'The event with which it last came back.';

create table problem_spikes (
  app_id uuid not null,
  problem_id uuid not null,
  rule_id uuid not null,
  above_at timestamptz not null,
  quiet_until timestamptz not null,
  primary key (app_id, problem_id, rule_id),
  foreign key (app_id, problem_id) references problems on delete cascade
);
comment on table problem_spikes is 'Problems that were seen to occur more often than a limit.';
comment on column problem_spikes.rule_id is 'Whose limit it is: the app, or a subscriber.';
comment on column problem_spikes.above_at is 'When it was last above the limit.';
comment on column problem_spikes.quiet_until is 'Until then it is the same spike, of which nobody is told again.';

alter table happenings
  drop constraint happenings_kind_check,
  add constraint happenings_kind_check check (kind in ('subscriber.disabled', 'delivery.dead', 'quota.warning',
    'organisation.suspended', 'disk.low', 'run.held', 'run.asked', 'run.finished', 'problem.new', 'problem.back',
    'problem.spike'));

alter table notices
  add column problem_id uuid,
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in ('mentioned', 'assigned', 'commented', 'run_finished', 'run_asked',
    'run_held', 'subscriber_disabled', 'delivery_dead', 'quota_warning', 'organisation_suspended', 'disk_low',
    'problem_new', 'problem_back', 'problem_spike'));
create index on notices (problem_id) where problem_id is not null;

alter table notice_choices
  drop constraint notice_choices_mail_check,
  drop constraint notice_choices_slack_check,
  add constraint notice_choices_mail_check check (mail <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low,problem_new,problem_back,problem_spike}'),
  add constraint notice_choices_slack_check check (slack <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low,problem_new,problem_back,problem_spike}');

insert into graphile_worker._private_tasks (identifier) values ('deliver_news') on conflict do nothing;
