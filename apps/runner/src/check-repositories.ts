import { parseRepositoryAddress } from "@lodge/contract/repositories";
import { ForgeError } from "./ask-forge.ts";
import { releaseToken } from "./git-tokens.ts";
import { forgeOf, whyNoPullRequest } from "./pull-request.ts";
import type { RunnerSettings } from "./runner-settings.ts";

type Repository = { name: string; url: string; credentialsEnv: string | null };

const forgeTimeoutMs = 20_000;

/**
 * Says which repositories of the organisation a runner cannot work on, in a sentence each: by their address, for want of a
 * token, or because the forge does not let the token open pull requests. A forge that gives no answer is wrong only where
 * `needsAnswers` says so.
 */
export async function checkRepositories(
  settings: RunnerSettings,
  env: Readonly<Record<string, string | undefined>>,
  repositories: readonly Repository[],
  needsAnswers: boolean,
): Promise<string[]> {
  const sentences = await Promise.all(
    repositories.map((repository) => checkRepository(settings, env, repository, needsAnswers)),
  );
  return sentences.flatMap((sentence, index) =>
    sentence ? `Repository ${repositories[index]?.name}: ${sentence}` : [],
  );
}

async function checkRepository(
  { allowsFiles, gitTokens, forges }: RunnerSettings,
  env: Readonly<Record<string, string | undefined>>,
  repository: Repository,
  needsAnswers: boolean,
): Promise<string | undefined> {
  const scheme = parseRepositoryAddress(repository.url)?.scheme;
  if (scheme === undefined) return "its address must use https, http, ssh or user@host:path.";
  if (scheme === "file" && !allowsFiles) return "it is on a disk: start the runner with --allow-file-repositories.";
  const released = releaseToken(gitTokens, env, repository);
  if ("refusal" in released) return released.refusal;
  const on = forgeOf(repository.url, forges);
  if (!on || released.token === undefined) return undefined; // its branch is pushed, and that is all
  try {
    const why = await whyNoPullRequest(on, released.token, AbortSignal.timeout(forgeTimeoutMs));
    return why && `${repository.credentialsEnv} may not open pull requests there: ${why}.`;
  } catch (error) {
    const status = error instanceof ForgeError ? error.status : undefined;
    const isRefused = status !== undefined && [401, 403, 404].includes(status);
    if (!isRefused && !needsAnswers) return undefined;
    return `${repository.credentialsEnv} cannot be checked: ${(error as Error).message}.`;
  }
}
