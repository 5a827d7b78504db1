-- Problems of an older version of the grouping rules can be grouped anew.

alter table problem_hashes add column retired boolean not null default false;
comment on column problem_hashes.retired is 'Whether new reports are no longer recognised by it: its problem was grouped anew by newer rules.';
drop index problem_hashes_of_version_1;
create index problem_hashes_of_version_1 on problem_hashes (app_id, hash) where rule_version = 1 and not retired;

create table regroupings (
  organisation_id uuid not null,
  app_id uuid primary key,
  state text not null check (state in ('planning', 'planned', 'applying', 'applied', 'undoing')),
  position uuid,
  done_count integer not null default 0,
  total_count integer not null,
  preview jsonb,
  requested_at timestamptz not null,
  applied_at timestamptz,
  foreign key (organisation_id, app_id) references apps on delete cascade
);
create index on regroupings (organisation_id);
comment on table regroupings is 'The latest regrouping of an app: what it would change, or what it has changed and how that is undone.';
comment on column regroupings.position is 'The last hash that was planned.';
comment on column regroupings.done_count is 'How many hashes are planned, targets applied, or steps undone, of total_count.';

create table regroup_targets (
  app_id uuid not null references regroupings on delete cascade,
  from_hash uuid not null,
  to_hash uuid not null,
  is_main boolean not null,
  rule text not null,
  strings jsonb not null,
  kind text not null,
  title text not null,
  culprit text,
  seen_at timestamptz not null,
  event_count integer not null,
  event_ids uuid[] not null,
  primary key (app_id, from_hash, to_hash)
);
create index on regroup_targets (app_id, is_main desc, seen_at desc, from_hash, to_hash);
comment on table regroup_targets is 'By what newer rules recognise the latest events of a hash. A target is deleted when it is applied.';
comment on column regroup_targets.is_main is 'Whether most of the events have it: the hash itself goes where this one is.';
comment on column regroup_targets.event_ids is 'The events that go to it, where it is not the main one.';

create table regroup_steps (
  app_id uuid not null references regroupings on delete cascade,
  step integer not null,
  undo jsonb not null,
  primary key (app_id, step)
);
comment on table regroup_steps is 'What undoes the steps of a regrouping, the last one first.';

insert into graphile_worker._private_tasks (identifier) values ('regroup_app') on conflict do nothing;
