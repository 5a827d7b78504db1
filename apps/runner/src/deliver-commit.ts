import { setTimeout as sleep } from "node:timers/promises";
import { pullRequestErrorLengthMax, runPatchLengthMax } from "@lodge/contract/limits";
import type { TakenRun } from "@lodge/contract/runners";
import { ForgeError } from "./ask-forge.ts";
import type { Clone } from "./clone-repository.ts";
import { describePullRequest } from "./describe-pull-request.ts";
import { GitError, git } from "./git.ts";
import { forgeOf, openPullRequest } from "./pull-request.ts";
import { redact } from "./redact.ts";
import type { Result, Work, Workshop } from "./workshop.ts";

/** The longest heartbeat after which the renewed lease is long enough for a push. */
const heartbeatMsMax = 10_000;
const pushAttempts = 3;
const pushPauseMs = 2_000;
/** Messages of the remote after which a retry will not help. */
const isFinal = /rejected|declined|denied|forbidden|not permitted|unauthorized|authentication failed|could not read/i;

/** Pushes a commit, or keeps it as a patch if the push fails. A runner that lost its lease pushes nothing. */
export async function deliverCommit(
  workshop: Workshop,
  run: TakenRun,
  clone: Clone,
  { commit, summary = null }: { commit: string; summary?: string | null | undefined },
  work: Work,
): Promise<Result> {
  const { log, signal } = work;
  for (let attempt = 1; ; attempt++) {
    let asked: number;
    do {
      asked = performance.now();
      await workshop.server.heartbeat(run, signal);
    } while (performance.now() - asked > heartbeatMsMax); // the process was paused, so the lease may have expired
    try {
      const spec = `${commit}:refs/heads/${run.branch}`;
      await git(clone.repository, ["push", "--quiet", "--", run.repository.url, spec]);
      log.add("note", `Pushed ${commit.slice(0, 12)} to ${run.branch}.`);
      const result = { outcome: "succeeded", branch: run.branch, commit } as const;
      return withPullRequest(workshop, run, { ...clone, summary }, result, work);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (attempt < pushAttempts && !isFinal.test(error.message)) {
        await sleep(pushPauseMs, undefined, { signal });
        continue;
      }
      log.add("note", `The commit could not be pushed and is kept as a patch: ${error.message}`);
      return keepPatch(clone, commit, work);
    }
  }
}

/** A commit as a patch without secrets; omitted if it is above the server's limit. */
async function keepPatch(
  { repository, commit: parent }: Clone,
  commit: string,
  { log, secrets }: Work,
): Promise<Result> {
  const diff = ["diff", "--binary", "--no-ext-diff", "--no-textconv", parent, commit];
  const patch = await git(repository, diff).catch((failure: unknown) => {
    if (!(failure instanceof GitError)) throw failure; // the output is above the limit
  });
  const text = patch && redact(patch.toString("utf8").replaceAll("\0", "\u2400"), secrets);
  if (text !== undefined && text.length <= runPatchLengthMax) return { outcome: "succeeded", patch: text };
  log.add("note", "The patch is too large to be kept.");
  return { outcome: "succeeded" };
}

/**
 * Opens a pull request for a pushed branch, if the forge is known and has a token. An error of the forge becomes part
 * of the result.
 */
export async function withPullRequest(
  { server, forges, opensDrafts }: Workshop,
  run: TakenRun,
  { defaultBranch, summary }: Pick<Clone, "defaultBranch"> & { summary: string | null },
  result: Result,
  { log, token, secrets, signal }: Work,
): Promise<Result> {
  const forge = forgeOf(run.repository.url, forges);
  if (!forge || token === undefined) return result;
  const { ticketNumber: number } = await server.heartbeat(run, signal);
  const described = describePullRequest({ ...run.ticket, number, summary });
  try {
    const pullRequestUrl = await openPullRequest(
      forge,
      token,
      { branch: run.branch, into: defaultBranch, isDraft: opensDrafts, ...described },
      signal,
    );
    log.add("note", `Opened ${pullRequestUrl}`);
    return { ...result, pullRequestUrl };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    log.add("note", `The pull request could not be opened: ${error.message}`);
    return { ...result, pullRequestError: shownError(error, secrets) };
  }
}

/** The error of a forge without secrets, cut to the server's limit. */
export const shownError = ({ message }: ForgeError, secrets: readonly string[]): string =>
  [...redact(message, secrets).replaceAll("\0", "").toWellFormed()].slice(0, pullRequestErrorLengthMax).join("");
