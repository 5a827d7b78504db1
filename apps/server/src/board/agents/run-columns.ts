import type { Run } from "@lodge/contract/dashboard/runs";
import type { RunState } from "@lodge/contract/runners";
import { type RawBuilder, sql } from "kysely";

/** A run as `runColumns` selects it. */
export type RunRow = {
  run_id: string;
  run_state: RunState;
  run_reason: string | null;
  run_changed_at: Date;
  run_changed_by: string | null;
  run_runner: string | null;
  run_repository: string | null;
  run_question: string | null;
  run_branch: string | null;
  run_commit: string | null;
  run_pull_request_url: string | null;
  run_pull_request_state: Run["pullRequestState"];
  run_pull_request_error: string | null;
  run_is_pull_request_wanted: boolean;
  run_fixed_in: string | null;
  run_has_patch: boolean;
  run_summary: string | null;
  run_log_length: number;
  run_cost_micro_usd: number | null;
  run_input_tokens: number | null;
  run_output_tokens: number | null;
  run_created_at: Date;
  run_started_at: Date | null;
  run_ended_at: Date | null;
};

/** What to select of `agent_runs as run`, beside `runJoins`. */
export const runColumns: RawBuilder<unknown> = sql`
  run.id as run_id, run.state as run_state, run.reason as run_reason, run.changed_at as run_changed_at,
  run.changed_by_name as run_changed_by, runners.name as run_runner, run_repositories.name as run_repository,
  run.question as run_question, run.branch as run_branch, run.commit_sha as run_commit,
  run.pull_request_url as run_pull_request_url, run.pull_request_state as run_pull_request_state,
  run.pull_request_error as run_pull_request_error,
  run.pull_request_wanted_at is not null as run_is_pull_request_wanted, run.fixed_in as run_fixed_in, run.patch is not null as run_has_patch, run.summary as run_summary,
  run.log_length as run_log_length, run.cost_micro_usd as run_cost_micro_usd, run.input_tokens as run_input_tokens,
  run.output_tokens as run_output_tokens, run.created_at as run_created_at, run.started_at as run_started_at,
  run.ended_at as run_ended_at`;

/** The joins that `runColumns` needs. */
export const runJoins: RawBuilder<unknown> = sql`
  left join runners on runners.organisation_id = run.organisation_id and runners.id = run.runner_id
  left join repositories run_repositories on run_repositories.organisation_id = run.organisation_id
    and run_repositories.id = run.repository_id`;

/** Converts a row to the contract's form. */
export const toRun = (row: RunRow): Run => ({
  id: row.run_id,
  state: row.run_state,
  reason: row.run_reason,
  changedAt: row.run_changed_at.toISOString(),
  changedBy: row.run_changed_by,
  runner: row.run_runner,
  repository: row.run_repository,
  question: row.run_state === "awaiting_input" ? row.run_question : null,
  branch: row.run_branch,
  commit: row.run_commit,
  pullRequestUrl: row.run_pull_request_url,
  pullRequestState: row.run_pull_request_state,
  pullRequestError: row.run_pull_request_error,
  isPullRequestWanted: row.run_is_pull_request_wanted,
  fixedIn: row.run_fixed_in,
  hasPatch: row.run_has_patch,
  summary: row.run_summary,
  logLength: row.run_log_length,
  costMicroUsd: row.run_cost_micro_usd,
  inputTokens: row.run_input_tokens,
  outputTokens: row.run_output_tokens,
  createdAt: row.run_created_at.toISOString(),
  startedAt: row.run_started_at?.toISOString() ?? null,
  endedAt: row.run_ended_at?.toISOString() ?? null,
});
