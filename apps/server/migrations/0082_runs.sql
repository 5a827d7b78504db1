-- Runs: who takes them, what comes of them, what they cost; and every credit that was ever given, taken or returned.

alter table repositories add column credentials_env text;
comment on column repositories.credentials_env is 'The name of the runner''s environment variable that holds the token to push with.';

create table runners (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  name text not null check (char_length(name) between 1 and 80),
  secret_sha256 bytea not null unique,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, name)
);
comment on table runners is 'A process that takes runs. Only a hash of its secret is kept.';
comment on column runners.last_seen_at is 'To the minute.';

-- So far a run took its credit when it was queued. None was ever started, so each is given back here.
update organisations set credits = credits + queued.runs
from (select organisation_id, count(*)::integer as runs from agent_runs where state = 'queued' group by organisation_id) queued
where queued.organisation_id = organisations.id;
comment on column organisations.credits is 'Runs that can still be started: the sum of its credit_entries.';

create table credit_entries (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('set', 'added', 'reserved', 'returned')),
  amount integer not null check (amount <> 0),
  run_id uuid check ((run_id is not null) = (kind in ('reserved', 'returned'))),
  actor_user_id uuid references users on delete set null,
  actor_name text,
  note text,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id)
);
create unique index on credit_entries (organisation_id, run_id, kind) where run_id is not null;
comment on table credit_entries is 'Every change of an organisation''s credits; they add up to organisations.credits.';
comment on column credit_entries.run_id is 'The run that it was reserved for or returned by, each once; it may be gone.';
insert into credit_entries (organisation_id, kind, amount) select id, 'set', credits from organisations where credits <> 0;

alter table agent_runs
  drop constraint agent_runs_state_check,
  drop constraint agent_runs_check,
  add constraint agent_runs_state_check check (state in
    ('queued', 'held', 'running', 'awaiting_input', 'succeeded', 'no_change', 'failed', 'cancelled')),
  add column reason text,
  add column changed_at timestamptz not null default now(),
  add column changed_by_user_id uuid references users on delete set null,
  add column changed_by_name text,
  add column runner_id uuid,
  add column take_id uuid,
  add column fence integer not null default 0,
  add column lease_expires_at timestamptz,
  add column started_at timestamptz,
  add column ended_at timestamptz,
  add column question text,
  add column asked_at timestamptz,
  add column log_length integer not null default 0,
  add column log_bytes integer not null default 0,
  add column branch text,
  add column commit_sha text,
  add column pull_request_url text,
  add column summary text,
  add column patch text,
  add column cost_micro_usd bigint,
  add column input_tokens bigint,
  add column output_tokens bigint,
  add foreign key (organisation_id, runner_id) references runners on delete set null (runner_id);
update agent_runs set reason = held_reason, changed_at = created_at;
alter table agent_runs drop column held_reason;

-- Of each ticket the latest run that is still wanted stays open.
update agent_runs set state = 'cancelled', reason = 'superseded', changed_at = now(), ended_at = now()
where id <> (
    select max(latest.id::text)::uuid from agent_runs latest
    where latest.organisation_id = agent_runs.organisation_id and latest.ticket_id = agent_runs.ticket_id)
  or not exists (
    select from tickets join organisations on organisations.id = tickets.organisation_id
    where tickets.organisation_id = agent_runs.organisation_id and tickets.id = agent_runs.ticket_id
      and tickets.assignee_user_id = organisations.agent_user_id);

alter table agent_runs
  add check (state not in ('held', 'failed', 'cancelled') or reason is not null),
  add check ((state in ('running', 'awaiting_input')) = (lease_expires_at is not null)),
  add check ((state in ('succeeded', 'no_change', 'failed', 'cancelled')) = (ended_at is not null));
create unique index agent_runs_open on agent_runs (organisation_id, ticket_id)
  where state in ('queued', 'held', 'running', 'awaiting_input');
create index agent_runs_waiting on agent_runs (organisation_id, state, id) where state in ('queued', 'held');
create index agent_runs_leased on agent_runs (lease_expires_at) where lease_expires_at is not null;
comment on table agent_runs is 'The agent at work on a ticket, which has one open run at the most.';
comment on column agent_runs.reason is 'What a held run waits for, why one failed or was cancelled.';
comment on column agent_runs.changed_at is 'Since when it has its state; changed_by says who gave it that, where a person did.';
comment on column agent_runs.repository_id is 'What it works on, chosen when it starts.';
comment on column agent_runs.take_id is 'Of the request that took it: sent again, it is answered with the same run.';
comment on column agent_runs.fence is 'How often it was taken; who took it an earlier time can write nothing more.';
comment on column agent_runs.lease_expires_at is 'When it is taken from its runner unless that sends a heartbeat before.';
comment on column agent_runs.log_length is 'The offset of the next entry of its log.';
comment on column agent_runs.patch is 'What it changed, where it was not pushed.';

create table run_log_entries (
  organisation_id uuid not null,
  run_id uuid not null,
  position integer not null,
  kind text not null,
  text text not null,
  at timestamptz not null,
  primary key (organisation_id, run_id, position),
  foreign key (organisation_id, run_id) references agent_runs on delete cascade
);
comment on table run_log_entries is 'What a run said and did, each entry at its offset.';
