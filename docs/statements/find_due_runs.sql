-- find_due_runs: written by npm run generate.
-- $1 now timestamptz
-- returns expired boolean, held boolean

select exists (select from agent_runs where lease_expires_at < $1::timestamptz) as expired,
    exists (
      select from agent_runs where state = 'held' and reason in ('no_credits', 'no_repository', 'token_budget')) as held;
