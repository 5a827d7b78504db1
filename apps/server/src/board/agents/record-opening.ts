import type { OpenedPullRequest } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Runner } from "./authenticate-runner.ts";

/**
 * Stores the result of another attempt to open a run's pull request; nobody retries until a person asks. A run that has
 * its pull request keeps it. Throws `run_not_found` for a run whose pull request was never refused.
 */
export async function recordOpening(
  deps: Deps,
  { organisationId }: Runner,
  runId: string,
  opened: OpenedPullRequest,
): Promise<void> {
  const url = "pullRequestUrl" in opened ? opened.pullRequestUrl : null;
  const error = "pullRequestError" in opened ? opened.pullRequestError : null;
  const { rows } = await sql<{ ticketId: string }>`
    update agent_runs set pull_request_wanted_at = null, pull_request_checked_at = null,
      pull_request_error = case when pull_request_url is null then ${error}::text end,
      pull_request_url = coalesce(pull_request_url, ${url}),
      pull_request_state = case when coalesce(pull_request_url, ${url}) is null then null
        else coalesce(pull_request_state, 'open') end
    where organisation_id = ${organisationId} and id = ${runId}
      and (pull_request_error is not null or pull_request_url is not null)
    returning ticket_id as "ticketId"`.execute(deps.db);
  const [run] = rows;
  if (!run) throw new Refusal("run_not_found");
  deps.announce(organisationId, { kind: "run.changed", runId, ticketId: run.ticketId });
}
