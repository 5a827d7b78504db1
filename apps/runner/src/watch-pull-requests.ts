import { CallError } from "@lodge/contract/call";
import type { WantedPullRequest } from "@lodge/contract/runners";
import { type Forge, ForgeError } from "./ask-forge.ts";
import { shownError } from "./deliver-commit.ts";
import { describePullRequest } from "./describe-pull-request.ts";
import type { Release } from "./git-tokens.ts";
import type { LodgeServer } from "./lodge-server.ts";
import { forgeOf, type OnForge, openPullRequest, readDefaultBranch, readPullRequest } from "./pull-request.ts";

/** The dependencies of watching pull requests. */
export type Watch = {
  server: Pick<LodgeServer, "watchPullRequests" | "reportPullRequest" | "reportOpening">;
  forges: ReadonlyMap<string, Forge>;
  opensDrafts: boolean;
  /** The token that may be sent to a repository's host. */
  release: (repository: { url: string; credentialsEnv: string | null }) => Release;
  secrets: readonly string[];
  say: (line: string) => void;
};

/**
 * Checks once the pull requests that the server lists, and reports those that are no longer open. Opens pull requests
 * that people requested.
 */
export async function lookAtPullRequests(watch: Watch, signal: AbortSignal): Promise<void> {
  const { server, forges, release, say } = watch;
  const { pullRequests, wanted } = await server.watchPullRequests(signal);
  const tokenFor = (url: string, credentialsEnv: string | null) => {
    const on = forgeOf(url, forges);
    const released = release({ url, credentialsEnv });
    const token = "token" in released ? released.token : undefined;
    return on && token !== undefined ? { on, token } : undefined; // another runner may have the token
  };
  for (const { runId, url, repositoryUrl, credentialsEnv } of pullRequests) {
    const found = tokenFor(repositoryUrl, credentialsEnv);
    if (!found) continue;
    try {
      const seen = await readPullRequest(found.on, found.token, url, signal);
      if (seen.state !== "open") await server.reportPullRequest(runId, seen, signal);
    } catch (error) {
      if (!(error instanceof ForgeError || error instanceof CallError)) throw error;
      say(`${url}: ${error.message}`);
    }
  }
  for (const pullRequest of wanted) {
    const found = tokenFor(pullRequest.repositoryUrl, pullRequest.credentialsEnv);
    if (found) await openWanted(watch, pullRequest, found, signal);
  }
}

/** Opens a pull request that the forge refused before, and reports the new result to the server. */
async function openWanted(
  { server, opensDrafts, secrets, say }: Watch,
  { runId, branch, summary, ticket }: WantedPullRequest,
  { on, token }: { on: OnForge; token: string },
  signal: AbortSignal,
) {
  try {
    const opened = await (async () => {
      const into = await readDefaultBranch(on, token, signal);
      const wanted = { branch, into, isDraft: opensDrafts, ...describePullRequest({ ...ticket, summary }) };
      return { pullRequestUrl: await openPullRequest(on, token, wanted, signal) };
    })().catch((error: unknown) => {
      if (!(error instanceof ForgeError)) throw error;
      return { pullRequestError: shownError(error, secrets) };
    });
    await server.reportOpening(runId, opened, signal);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    say(`The pull request of run ${runId}: ${error.message}`);
  }
}
