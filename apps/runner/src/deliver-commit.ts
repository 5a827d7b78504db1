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

/** A push needs a lease that has so much time left. */
const freshMs = 10_000;
const pushAttempts = 3;
const pushPauseMs = 2_000;
/** Messages of the other side after which a retry will not help. */
const isFinal = /rejected|declined|denied|forbidden|not permitted|unauthorized|authentication failed|could not read/i;

/** Pushes a commit, or keeps it as a patch where that cannot be. A runner that no longer has the run pushes nothing. */
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
    } while (performance.now() - asked > freshMs); // it was paused meanwhile, and the answer is of no use
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
      log.add("note", `The commit could not be pushed, and is kept as a patch: ${error.message}`);
      return keepPatch(clone, commit, work);
    }
  }
}

/** The change of a commit as a patch, without secrets, if the server takes so much. */
async function keepPatch(
  { repository, commit: parent }: Clone,
  commit: string,
  { log, secrets }: Work,
): Promise<Result> {
  const diff = ["diff", "--binary", "--no-ext-diff", "--no-textconv", parent, commit];
  const patch = await git(repository, diff).catch((failure: unknown) => {
    if (!(failure instanceof GitError)) throw failure; // it wrote more than is read of it
  });
  const text = patch && redact(patch.toString("utf8").replaceAll("\0", "\u2400"), secrets);
  if (text !== undefined && text.length <= runPatchLengthMax) return { outcome: "succeeded", patch: text };
  log.add("note", "The patch is too large to be kept.");
  return { outcome: "succeeded" };
}

/**
 * Opens a pull request for a branch that was pushed, where its host is one that is known and there is a token for it.
 * The forge's refusal is part of the result, in its words.
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

/** The error of a forge, without secrets, as the server takes it. */
export const shownError = ({ message }: ForgeError, secrets: readonly string[]): string =>
  [...redact(message, secrets).replaceAll("\0", "").toWellFormed()].slice(0, pullRequestErrorLengthMax).join("");
