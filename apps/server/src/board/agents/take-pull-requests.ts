import type { WatchedPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import type { Runner } from "./authenticate-runner.ts";

const pauseMs = 55_000;
const releaseDaysMax = 90;

/**
 * The organisation's pull requests that a runner should check now, at most 20; no other runner gets them for a minute.
 * Merged ones are included only if a reporter waits for the release, and for 90 days.
 */
export async function takePullRequests({ db, clock }: Deps, { organisationId }: Runner): Promise<WatchedPullRequest[]> {
  const now = clock.now();
  const { rows } = await sql<WatchedPullRequest>`
    with due as (
      select run.organisation_id, run.id from agent_runs run
      where run.organisation_id = ${organisationId}
        and (run.pull_request_checked_at is null or run.pull_request_checked_at < ${new Date(now.getTime() - pauseMs)})
        and (run.pull_request_state = 'open' or run.pull_request_state = 'merged' and run.fixed_in is null
          and run.merged_at > ${now}::timestamptz - interval '${sql.raw(`${releaseDaysMax}`)} days' and exists (
            select from ${sql.raw(toldThreadsSql("run"))}))
      order by run.pull_request_checked_at nulls first, run.id limit 20 for no key update skip locked
    )
    update agent_runs set pull_request_checked_at = ${now}
    from due join agent_runs run on run.organisation_id = due.organisation_id and run.id = due.id
    join repositories on repositories.organisation_id = run.organisation_id and repositories.id = run.repository_id
    where agent_runs.organisation_id = due.organisation_id and agent_runs.id = due.id
    returning agent_runs.id as "runId", run.pull_request_url as url, repositories.url as "repositoryUrl",
      repositories.credentials_env as "credentialsEnv"`.execute(db);
  return rows;
}

/**
 * SQL, for a `from`: the open threads of the reports that a run's ticket is about, in apps that announce fixes. For a
 * problem, the threads of all its reports.
 */
export const toldThreadsSql = (run: string) => `(
        select tickets.app_id, tickets.event_id as id from tickets
        where tickets.organisation_id = ${run}.organisation_id and tickets.id = ${run}.ticket_id
          and tickets.event_id is not null
        union
        select cards.app_id, cards.event_id from report_cards cards
        where cards.organisation_id = ${run}.organisation_id and cards.ticket_id = ${run}.ticket_id
          and cards.event_id is not null
        union
        select cards.app_id, summaries.event_id from report_cards cards
        join problem_hashes hashes on hashes.app_id = cards.app_id and hashes.problem_id = cards.problem_id
        join event_summaries summaries on summaries.app_id = hashes.app_id and summaries.hash = hashes.hash
        where cards.organisation_id = ${run}.organisation_id and cards.ticket_id = ${run}.ticket_id
      ) about
      join apps on apps.id = about.app_id and apps.replies and apps.tells_fixes
      join threads on threads.app_id = about.app_id and threads.event_id = about.id and threads.closed_at is null`;
