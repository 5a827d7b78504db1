-- Runs of the agent: who takes them, what comes of them, and what they cost.

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

create table agent_runs (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  ticket_id uuid not null,
  repository_id uuid,
  token_id uuid,
  requested_by_user_id uuid references users on delete set null,
  state text not null check (state in
    ('queued', 'held', 'running', 'awaiting_input', 'succeeded', 'no_change', 'failed', 'cancelled')),
  reason text,
  changed_at timestamptz not null default now(),
  changed_by_user_id uuid references users on delete set null,
  changed_by_name text,
  runner_id uuid,
  take_id uuid,
  fence integer not null default 0,
  lease_expires_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  question text,
  asked_at timestamptz,
  log_length integer not null default 0,
  log_bytes integer not null default 0,
  branch text,
  commit_sha text,
  summary text,
  patch text,
  pull_request_url text,
  pull_request_state text check (pull_request_state in ('open', 'merged', 'closed')),
  pull_request_checked_at timestamptz,
  merged_at timestamptz,
  fixed_in text,
  cost_micro_usd bigint,
  input_tokens bigint,
  output_tokens bigint,
  primary key (organisation_id, id),
  check (state not in ('held', 'failed', 'cancelled') or reason is not null),
  check ((state in ('running', 'awaiting_input')) = (lease_expires_at is not null)),
  check ((state in ('succeeded', 'no_change', 'failed', 'cancelled')) = (ended_at is not null)),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade,
  foreign key (organisation_id, repository_id) references repositories on delete set null (repository_id),
  foreign key (organisation_id, runner_id) references runners on delete set null (runner_id)
);
create index on agent_runs (organisation_id, ticket_id);
create unique index agent_runs_open on agent_runs (organisation_id, ticket_id)
  where state in ('queued', 'held', 'running', 'awaiting_input');
create index agent_runs_waiting on agent_runs (organisation_id, state, id) where state in ('queued', 'held');
create index agent_runs_held on agent_runs (reason, id) where state = 'held';
create index agent_runs_leased on agent_runs (lease_expires_at) where lease_expires_at is not null;
create index agent_runs_of_token on agent_runs (organisation_id, token_id, started_at) where token_id is not null;
create index agent_runs_pull_requests on agent_runs (organisation_id, pull_request_checked_at)
  where pull_request_state = 'open' or pull_request_state = 'merged' and fixed_in is null;
comment on table agent_runs is 'The agent at work on a ticket, which has at most one open run.';
comment on column agent_runs.repository_id is 'The repository that it works on, chosen when it starts.';
comment on column agent_runs.token_id is 'The token whose ticket began it, and whose daily budget it counts against; null once an admin has released it.';
comment on column agent_runs.requested_by_user_id is 'Who assigned its ticket to the agent; null for a token or an app.';
comment on column agent_runs.reason is 'What a held run waits for, or why a run failed or was cancelled.';
comment on column agent_runs.changed_at is 'Since when it has its state; changed_by is the person who gave it that state, where a person did.';
comment on column agent_runs.take_id is 'The id of the request that took it: the same request is answered with the same run.';
comment on column agent_runs.fence is 'How many times it was taken: a runner that took it an earlier time can no longer write.';
comment on column agent_runs.lease_expires_at is 'When it is taken from its runner, unless a heartbeat comes before.';
comment on column agent_runs.log_length is 'The offset of the next entry of its log.';
comment on column agent_runs.patch is 'What it changed, where that was not pushed.';
comment on column agent_runs.pull_request_state is 'The last state of its pull request that a runner has seen.';
comment on column agent_runs.pull_request_checked_at is 'When a runner was last sent to look.';
comment on column agent_runs.fixed_in is 'The first release that contains the merged change.';

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
comment on table run_log_entries is 'The log of a run, each entry at its offset.';

-- A run changes its state in many statements; its ticket's history and the organisation's notifications must miss none.
create function record_run_state() returns trigger language plpgsql as $$
begin
  if current_setting('lodge.moving', true) = 'on' then return null; end if; -- its rows come from another cell as well
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
create trigger run_began after insert on agent_runs for each row when (new.state = 'held')
  execute function record_run_state();
create trigger run_changed after update of state on agent_runs for each row when (old.state is distinct from new.state)
  execute function record_run_state();
