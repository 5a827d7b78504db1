import { parseRepositoryAddress } from "@lodge/contract/repositories";
import { ForgeError } from "./ask-forge.ts";
import { releaseToken } from "./git-tokens.ts";
import { forgeOf, whyNoPullRequest } from "./pull-request.ts";
import type { RunnerSettings } from "./runner-settings.ts";

type Repository = { name: string; url: string; credentialsEnv: string | null };

const forgeTimeoutMs = 20_000;

/**
 * Returns a sentence for each repository of the organisation that the runner cannot work on: because of its address, a
 * missing token, or a token that cannot open pull requests. A forge that does not answer only counts with
 * `needsAnswers`.
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
  if (scheme === "file" && !allowsFiles)
    return "it is a local repository. Start the runner with --allow-file-repositories.";
  const released = releaseToken(gitTokens, env, repository);
  if ("refusal" in released) return released.refusal;
  const on = forgeOf(repository.url, forges);
  if (!on || released.token === undefined) return undefined; // the runner only pushes its branch
  try {
    const why = await whyNoPullRequest(on, released.token, AbortSignal.timeout(forgeTimeoutMs));
    return why && `${repository.credentialsEnv} has no permission to open pull requests there: ${why}.`;
  } catch (error) {
    const status = error instanceof ForgeError ? error.status : undefined;
    const isRefused = status !== undefined && [401, 403, 404].includes(status);
    if (!isRefused && !needsAnswers) return undefined;
    return `${repository.credentialsEnv} cannot be checked: ${(error as Error).message}.`;
  }
}
