import { CallError } from "@lodge/contract/call";
import type { LodgeServer } from "./lodge-server.ts";
import { type Forge, ForgeError, forgeOf, readPullRequest } from "./pull-request.ts";

/** What it takes to look at pull requests. */
export type Watch = {
  server: Pick<LodgeServer, "watchPullRequests" | "reportPullRequest">;
  forges: ReadonlyMap<string, Forge>;
  /** The value of a variable of the runner's environment. */
  tokenOf: (name: string) => string | undefined;
  say: (line: string) => void;
};

/** Looks once at the pull requests that the server wants looked at, and tells it what became of those that are open no more. */
export async function lookAtPullRequests({ server, forges, tokenOf, say }: Watch, signal: AbortSignal): Promise<void> {
  for (const { runId, url, repositoryUrl, credentialsEnv } of await server.watchPullRequests(signal)) {
    const forge = forgeOf(repositoryUrl, forges);
    const token = credentialsEnv === null ? undefined : tokenOf(credentialsEnv);
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
