-- Admins are told where reports are refused because a disk of the server is nearly full.

alter table happenings
  drop constraint happenings_kind_check,
  add constraint happenings_kind_check check (kind in ('subscriber.disabled', 'delivery.dead', 'quota.warning',
    'organisation.suspended', 'disk.low', 'run.held', 'run.asked', 'run.finished'));

alter table notices
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in ('mentioned', 'assigned', 'commented', 'run_finished', 'run_asked',
    'run_held', 'subscriber_disabled', 'delivery_dead', 'quota_warning', 'organisation_suspended', 'disk_low'));

alter table notice_choices
  drop constraint notice_choices_mail_check,
  drop constraint notice_choices_slack_check,
  add constraint notice_choices_mail_check check (mail <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low}'),
  add constraint notice_choices_slack_check check (slack <@ '{mentioned,assigned,commented,run_finished,run_asked,run_held,subscriber_disabled,delivery_dead,quota_warning,organisation_suspended,disk_low}');
update notice_choices set mail = mail || '{disk_low}'
from members
where members.organisation_id = notice_choices.organisation_id and members.user_id = notice_choices.user_id
  and members.role in ('owner', 'admin');

insert into graphile_worker._private_tasks (identifier) values ('warn_of_disks') on conflict do nothing;
