-- What a token may start in a day, what became of pull requests, and runs in the history of their tickets.

alter table tokens add column runs_per_day integer check (runs_per_day >= 0);
comment on column tokens.runs_per_day is 'How many runs of the agent''s may start in a day (UTC) on tickets that it has filed; null for any number.';

alter table apps add column tells_fixes boolean not null default false;
comment on column apps.tells_fixes is 'Whether a reporter is told, where the app has replies, in which version the agent''s fix of his report is.';

alter table agent_runs
  add column token_id uuid,
  add column pull_request_state text check (pull_request_state in ('open', 'merged', 'closed')),
  add column pull_request_checked_at timestamptz,
  add column merged_at timestamptz,
  add column fixed_in text;
update agent_runs set pull_request_state = 'open' where pull_request_url is not null;
create index agent_runs_of_token on agent_runs (organisation_id, token_id, started_at) where token_id is not null;
create index agent_runs_pull_requests on agent_runs (organisation_id, pull_request_checked_at)
  where pull_request_state = 'open' or pull_request_state = 'merged' and fixed_in is null;
create index agent_runs_held on agent_runs (reason, id) where state = 'held';
comment on column agent_runs.token_id is 'The token whose ticket began it, and whose daily budget it counts against; null once an admin has released it.';
comment on column agent_runs.pull_request_state is 'What became of its pull request, as far as a runner has seen.';
comment on column agent_runs.pull_request_checked_at is 'When a runner was last sent to look.';
comment on column agent_runs.fixed_in is 'The first release that has what was merged.';

-- A run changes its state in many statements; its ticket's history is to miss none of them.
create function record_run_state() returns trigger language plpgsql as $$
begin
  insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
  select new.organisation_id, new.ticket_id, 'run.changed',
    case when new.changed_by_name is null then organisations.agent_user_id else new.changed_by_user_id end,
    coalesce(new.changed_by_name, users.name),
    jsonb_strip_nulls(jsonb_build_object('runState', new.state, 'runReason', new.reason)), new.changed_at
  from organisations join users on users.id = organisations.agent_user_id
  where organisations.id = new.organisation_id;
  return null;
end $$;
create trigger run_began after insert on agent_runs for each row when (new.state = 'held')
  execute function record_run_state();
create trigger run_changed after update of state on agent_runs for each row when (old.state is distinct from new.state)
  execute function record_run_state();
