-- A forge may refuse a pull request. People see why, and can have a runner try again.
alter table agent_runs
  add column pull_request_error text,
  add column pull_request_wanted_at timestamptz,
  add check (pull_request_wanted_at is null or pull_request_error is not null);
create index agent_runs_wanted_pull_requests on agent_runs (organisation_id, pull_request_wanted_at)
  where pull_request_wanted_at is not null;
comment on column agent_runs.pull_request_error is 'Why the forge refused the pull request, in its words; null where it did not.';
comment on column agent_runs.pull_request_wanted_at is 'When a person asked for another attempt; null where nobody has.';
