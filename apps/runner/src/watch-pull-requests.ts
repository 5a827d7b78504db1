import { CallError } from "@lodge/contract/call";
import type { Release } from "./git-tokens.ts";
import type { LodgeServer } from "./lodge-server.ts";
import { type Forge, ForgeError, forgeOf, readPullRequest } from "./pull-request.ts";

/** What it takes to look at pull requests. */
export type Watch = {
  server: Pick<LodgeServer, "watchPullRequests" | "reportPullRequest">;
  forges: ReadonlyMap<string, Forge>;
  /** The token that may go to a repository's host. */
  release: (repository: { url: string; credentialsEnv: string | null }) => Release;
  say: (line: string) => void;
};

/** Looks once at the pull requests that the server wants looked at, and tells it what became of those that are open no more. */
export async function lookAtPullRequests({ server, forges, release, say }: Watch, signal: AbortSignal): Promise<void> {
  for (const { runId, url, repositoryUrl, credentialsEnv } of await server.watchPullRequests(signal)) {
    const forge = forgeOf(repositoryUrl, forges);
    const released = release({ url: repositoryUrl, credentialsEnv });
    const token = "token" in released ? released.token : undefined;
    if (!forge || token === undefined) continue; // another runner may have it
    try {
      const seen = await readPullRequest(forge, token, url, signal);
      if (seen.state !== "open") await server.reportPullRequest(runId, seen, signal);
    } catch (error) {
      if (!(error instanceof ForgeError || error instanceof CallError)) throw error;
      say(`${url}: ${error.message}`);
    }
  }
}
