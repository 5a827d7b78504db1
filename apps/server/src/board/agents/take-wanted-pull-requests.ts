import type { WantedPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import type { Runner } from "./authenticate-runner.ts";
import { ticketNumberSql } from "./ticket-number-sql.ts";

/** Longer than a runner needs for one, so that two do not try at the same time. */
const pauseMs = 59_000;

/** The organisation's pull requests that somebody wants opened, at most 20; no other runner gets them for a minute. */
export async function takeWantedPullRequests(
  { db, clock, urls }: Deps,
  { organisationId }: Runner,
): Promise<WantedPullRequest[]> {
  const now = clock.now();
  const { rows } = await sql<WantedPullRequest>`
    with due as (
      select run.organisation_id, run.id from agent_runs run
      where run.organisation_id = ${organisationId} and run.pull_request_wanted_at is not null
        and (run.pull_request_checked_at is null or run.pull_request_checked_at < ${new Date(now.getTime() - pauseMs)})
      order by run.pull_request_wanted_at limit 20 for no key update skip locked
    )
    update agent_runs set pull_request_checked_at = ${now}
    from due join agent_runs run on run.organisation_id = due.organisation_id and run.id = due.id
    join tickets on tickets.organisation_id = run.organisation_id and tickets.id = run.ticket_id
      and tickets.column_id is not null
    join repositories on repositories.organisation_id = run.organisation_id and repositories.id = run.repository_id
    where agent_runs.organisation_id = due.organisation_id and agent_runs.id = due.id
    returning agent_runs.id as "runId", repositories.url as "repositoryUrl",
      repositories.credentials_env as "credentialsEnv", run.branch, run.summary,
      json_build_object('title', tickets.title, 'url', ${`${urls.base}/tickets/`}::text || tickets.id, 'number', ${ticketNumberSql("run")})
        as ticket`.execute(db);
  return rows;
}
