import type { Finish } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import type { Runner } from "./authenticate-runner.ts";
import { refundFailure } from "./end-run.ts";
import { isHeldBy } from "./held-run.ts";

/**
 * Ends a run with its outcome, and returns its credit if it failed through no fault of the agent; a run that is given
 * back is queued again. Reporting the same outcome again changes nothing. Throws `lease_lost` or `invalid_input`.
 */
export async function finishRun(
  deps: Deps,
  runner: Runner,
  runId: string,
  { fence, outcome, failure, ...result }: Finish,
): Promise<void> {
  if ((outcome === "failed") !== (failure !== undefined)) {
    throw invalidInput([
      { path: "/failure", message: "is required if the outcome is failed, and not allowed otherwise" },
    ]);
  }
  const { organisationId } = runner;
  const at = deps.clock.now();
  const isEnd = outcome !== "given_back";
  const ended = await deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string; ticketId: string }>`
      update agent_runs set state = ${isEnd ? outcome : "queued"}, reason = ${failure ?? null}, changed_at = ${at},
        changed_by_user_id = null, changed_by_name = null, ended_at = ${isEnd ? at : null}, lease_expires_at = null,
        question = null, summary = ${result.summary ?? null}, branch = ${result.branch ?? null},
        commit_sha = ${result.commit ?? null}, pull_request_url = ${result.pullRequestUrl ?? null},
        pull_request_state = ${result.pullRequestUrl === undefined ? null : "open"},
        pull_request_error = ${result.pullRequestError ?? null}, pull_request_wanted_at = null,
        patch = ${result.patch ?? null}, cost_micro_usd = ${result.costMicroUsd ?? null},
        input_tokens = ${result.inputTokens ?? null}, output_tokens = ${result.outputTokens ?? null}
      where ${isHeldBy(runner, { runId, fence })}
      returning id, ticket_id as "ticketId"`.execute(tx);
    const [run] = rows;
    if (!run && !(await wasFinished(tx, runner, runId, fence, isEnd ? outcome : "queued")))
      throw new Refusal("lease_lost");
    if (run && failure) await refundFailure(tx, failure, { organisationId, runId: run.id, at });
    return run;
  });
  if (ended) deps.announce(organisationId, { kind: "run.changed", runId: ended.id, ticketId: ended.ticketId });
}

async function wasFinished(tx: Transaction, runner: Runner, runId: string, fence: number, state: string) {
  const run = await tx
    .selectFrom("agent_runs")
    .select("id")
    .where("organisation_id", "=", runner.organisationId)
    .where("id", "=", runId)
    .where("runner_id", "=", runner.id)
    .where("fence", "=", fence)
    .where("state", "=", state)
    .executeTakeFirst();
  return run !== undefined;
}
