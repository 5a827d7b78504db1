import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { SeenPullRequest } from "@lodge/contract/runners";
import { askForge, type Forge, ForgeError, fieldsOf, refusalOf, wordsOf } from "./ask-forge.ts";
import { forgeKinds, type PullRequest, type Read } from "./forge-kinds.ts";

/** A repository on a forge. */
export type OnForge = { forge: Forge; path: string };

/** The forge of a repository, from `--forge` or the well-known forges; undefined for other hosts. */
export function forgeOf(url: string, named: ReadonlyMap<string, Forge>): OnForge | undefined {
  const address = parseRepositoryAddress(url);
  if (!address) return undefined;
  const known = new Map<string, Forge>([
    ["github.com", { kind: "github", api: "https://api.github.com" }],
    ["gitlab.com", { kind: "gitlab", api: "https://gitlab.com/api/v4" }],
    ["codeberg.org", { kind: "gitea", api: "https://codeberg.org/api/v1" }],
  ]);
  const forge = named.get(address.host) ?? known.get(address.host);
  return forge && { forge, path: address.path };
}

/**
 * Opens a pull request, or finds the open one of this branch, and returns its address. Retries rate limits of up to a
 * minute and server errors. Throws a `ForgeError`.
 */
export async function openPullRequest(
  { forge, path }: OnForge,
  token: string,
  wanted: PullRequest,
  signal: AbortSignal,
): Promise<string> {
  const { find, create, isDuplicate } = forgeKinds[forge.kind];
  const ask = (method: string, address: string, body?: object) =>
    askForge({ forge, token, signal }, method, address, body);
  const findOpen = async () => {
    const answer = await ask("GET", find(path, wanted));
    if (answer.status === 404 && forge.kind === "gitea") return undefined; // this API returns the pull request itself
    if (answer.status !== 200) throw refusalOf(forge, answer);
    return addressOf(Array.isArray(answer.body) ? answer.body[0] : answer.body);
  };
  const found = await findOpen();
  if (found) return found;
  const { address, body } = create(path, wanted);
  const answer = await ask("POST", address, body);
  const isThere = isDuplicate(answer.status, wordsOf(answer.body));
  const opened = answer.status === 201 ? addressOf(answer.body) : isThere ? await findOpen() : undefined;
  if (!opened) throw refusalOf(forge, answer);
  return opened;
}

/** The default branch of a repository. Throws a `ForgeError`. */
export async function readDefaultBranch({ forge, path }: OnForge, token: string, signal: AbortSignal): Promise<string> {
  const answer = await askForge({ forge, token, signal }, "GET", forgeKinds[forge.kind].repository(path));
  const branch = fieldsOf(answer.body).default_branch;
  if (answer.status !== 200 || typeof branch !== "string") throw refusalOf(forge, answer);
  return branch;
}

/**
 * Why a token cannot open pull requests for a repository; undefined if it can. Requests one from the default branch
 * into itself: forges check permissions first, and then refuse it as empty. Throws a `ForgeError` if the forge does not
 * show the repository, or does not answer.
 */
export async function whyNoPullRequest(
  { forge, path }: OnForge,
  token: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { create } = forgeKinds[forge.kind];
  const branch = await readDefaultBranch({ forge, path }, token, signal);
  const nothing = create(path, {
    branch,
    into: branch,
    title: "Lodge checks its permissions",
    body: "",
    isDraft: false,
  });
  const answer = await askForge({ forge, token, signal }, "POST", nothing.address, nothing.body);
  if (answer.status >= 500 || answer.status === 429) throw refusalOf(forge, answer);
  return [401, 403, 404].includes(answer.status) ? refusalOf(forge, answer).message : undefined;
}

/**
 * Reads the state of a pull request; for a merged one, also the first release that contains it, if there is one.
 * Retries like `openPullRequest`. Throws a `ForgeError`.
 */
export async function readPullRequest(
  { forge, path }: OnForge,
  token: string,
  url: string,
  signal: AbortSignal,
): Promise<SeenPullRequest> {
  const read: Read = async (address, isOptional = false) => {
    const answer = await askForge({ forge, token, signal }, "GET", address);
    if (answer.status === 404 && isOptional) return undefined;
    if (answer.status !== 200) throw refusalOf(forge, answer);
    return answer.body;
  };
  const number = /\/(\d+)\/?$/.exec(url)?.[1];
  if (number === undefined) throw new ForgeError(`${url} has no number.`);
  const { state, findVersion } = await forgeKinds[forge.kind].read(read, path, number);
  const version = await findVersion?.().catch((error: unknown) => {
    if (!(error instanceof ForgeError)) throw error; // the merge is reported anyway
  });
  return { state, ...(version !== undefined && { version }) };
}

function addressOf(body: unknown): string | undefined {
  const { html_url: github, web_url: gitlab } = fieldsOf(body);
  const address = github ?? gitlab;
  return typeof address === "string" && /^https?:/.test(address) ? address : undefined;
}
