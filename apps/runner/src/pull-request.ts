import { setTimeout as sleep } from "node:timers/promises";
import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { SeenPullRequest } from "@lodge/contract/runners";

/** The API of a host of repositories. */
export type Forge = { kind: "github" | "gitlab"; api: string };

/** What to open: from a branch that was pushed into another. */
export type PullRequest = { branch: string; into: string; title: string; body: string };

/** A pull request that could not be opened; the message says why. */
export class ForgeError extends Error {
  override name = "ForgeError";
}

const attemptsMax = 5;
const requestTimeoutMs = 30_000;
const waitMsMax = 60_000;
const pauseMs = 1_000;

/** Where a repository's pull requests are opened, of those that were named and those that are known; undefined elsewhere. */
export function forgeOf(url: string, named: ReadonlyMap<string, Forge>): { forge: Forge; path: string } | undefined {
  const address = parseRepositoryAddress(url);
  if (!address) return undefined;
  const known = new Map<string, Forge>([
    ["github.com", { kind: "github", api: "https://api.github.com" }],
    ["gitlab.com", { kind: "gitlab", api: "https://gitlab.com/api/v4" }],
  ]);
  const forge = named.get(address.host) ?? known.get(address.host);
  return forge && { forge, path: address.path };
}

/**
 * Opens a pull request, or finds the one that is open from this branch, and returns its address. Waits out rate limits of
 * at most a minute and errors of the host. Throws a `ForgeError`.
 */
export async function openPullRequest(
  { forge, path }: { forge: Forge; path: string },
  token: string,
  wanted: PullRequest,
  signal: AbortSignal,
): Promise<string> {
  const ask = (method: string, address: string, body?: object) => send({ forge, token, signal }, method, address, body);
  const { list, create, isDuplicate } = forge.kind === "github" ? onGitHub(path, wanted) : onGitLab(path, wanted);
  const find = async () => {
    const { status, body } = await ask("GET", list);
    if (status !== 200) throw new ForgeError(`${forge.kind} answered ${status}: ${messageOf(body)}`);
    return addressOf(Array.isArray(body) ? body[0] : undefined);
  };
  const found = await find();
  if (found) return found;
  const { status, body } = await ask("POST", create.address, create.body);
  const address = status === 201 ? addressOf(body) : isDuplicate(status, messageOf(body)) ? await find() : undefined;
  if (!address) throw new ForgeError(`${forge.kind} answered ${status}: ${messageOf(body)}`);
  return address;
}

/**
 * Looks at what became of a pull request: of one that was merged with the first release that has it, if there is one yet
 * that can be seen. Waits as `openPullRequest` does. Throws a `ForgeError`.
 */
export async function readPullRequest(
  { forge, path }: { forge: Forge; path: string },
  token: string,
  url: string,
  signal: AbortSignal,
): Promise<SeenPullRequest> {
  const read: Read = async (address, isOptional = false) => {
    const { status, body } = await send({ forge, token, signal }, "GET", address);
    if (status === 404 && isOptional) return undefined;
    if (status !== 200) throw new ForgeError(`${forge.kind} answered ${status}: ${messageOf(body)}`);
    return body;
  };
  const number = /\/(\d+)\/?$/.exec(url)?.[1];
  if (number === undefined) throw new ForgeError(`${url} has no number.`);
  const { state, findVersion } = await (forge.kind === "github" ? readOnGitHub : readOnGitLab)(read, path, number);
  const version = await findVersion?.().catch((error: unknown) => {
    if (!(error instanceof ForgeError)) throw error; // the merge is told all the same
  });
  return { state, ...(version !== undefined && { version }) };
}

type Read = (address: string, isOptional?: boolean) => Promise<unknown>;
/** A pull request, and how to find the first release that has it where it was merged. */
type Found = { state: SeenPullRequest["state"]; findVersion?: () => Promise<string | undefined> };

async function readOnGitHub(read: Read, path: string, number: string): Promise<Found> {
  const repository = `/repos/${path.split("/").map(encodeURIComponent).join("/")}`;
  const {
    state,
    merged_at: mergedAt,
    merge_commit_sha: commit,
  } = fieldsOf(await read(`${repository}/pulls/${number}`));
  if (typeof mergedAt !== "string") return { state: state === "closed" ? "closed" : "open" };
  const findVersion = async () => {
    const releases = listOf(await read(`${repository}/releases?per_page=100`)).filter(({ draft }) => draft !== true);
    for (const tag of since(mergedAt, releases, "published_at")) {
      const range = `${encodeURIComponent(String(commit))}...${encodeURIComponent(tag)}`;
      const compared = await read(`${repository}/compare/${range}`, true); // a tag may be gone, or of another history
      if (["ahead", "identical"].includes(String(fieldsOf(compared).status))) return tag;
    }
    return undefined;
  };
  return { state: "merged", findVersion };
}

async function readOnGitLab(read: Read, path: string, number: string): Promise<Found> {
  const project = `/projects/${encodeURIComponent(path)}`;
  const merged = fieldsOf(await read(`${project}/merge_requests/${number}`));
  const { state, merged_at: mergedAt } = merged;
  if (state !== "merged" || typeof mergedAt !== "string") return { state: state === "closed" ? "closed" : "open" };
  const commit = [merged.merge_commit_sha, merged.squash_commit_sha, merged.sha].find((sha) => typeof sha === "string");
  const findVersion = async () => {
    const tags = since(mergedAt, listOf(await read(`${project}/releases?per_page=100`)), "released_at");
    if (tags.length === 0) return undefined;
    const refs = await read(`${project}/repository/commits/${commit}/refs?type=tag&per_page=100`);
    const having = new Set(listOf(refs).map(({ name }) => name));
    return tags.find((tag) => having.has(tag));
  };
  return { state: "merged", findVersion };
}

/** The tags of the releases after a time, the first one first. */
const since = (mergedAt: string, releases: Fields[], at: string): string[] =>
  releases
    .map((release) => ({ tag: release.tag_name, at: Date.parse(String(release[at])) }))
    .filter((release): release is { tag: string; at: number } => typeof release.tag === "string")
    .filter((release) => release.at >= Date.parse(mergedAt))
    .sort((one, other) => one.at - other.at)
    .map(({ tag }) => tag);

/** An object of JSON that nobody has checked. */
type Fields = { readonly [name: string]: unknown };
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

function onGitHub(path: string, { branch, into, title, body }: PullRequest) {
  const [owner = ""] = path.split("/");
  const address = `/repos/${path.split("/").map(encodeURIComponent).join("/")}/pulls`;
  return {
    list: `${address}?${new URLSearchParams({ state: "open", head: `${owner}:${branch}`, base: into })}`,
    create: { address, body: { title, body, head: branch, base: into } },
    isDuplicate: (status: number, message: string) => status === 422 && /already exists/i.test(message),
  };
}

function onGitLab(path: string, { branch, into, title, body }: PullRequest) {
  const address = `/projects/${encodeURIComponent(path)}/merge_requests`;
  return {
    list: `${address}?${new URLSearchParams({ state: "opened", source_branch: branch, target_branch: into })}`,
    create: { address, body: { title, description: body, source_branch: branch, target_branch: into } },
    isDuplicate: (status: number) => status === 409,
  };
}

type Asked = { forge: Forge; token: string; signal: AbortSignal };

async function send({ forge, token, signal }: Asked, method: string, address: string, body?: object) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${forge.api}${address}`, {
      method,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
      headers: {
        authorization: `Bearer ${token}`,
        accept: forge.kind === "github" ? "application/vnd.github+json" : "application/json",
        "user-agent": "lodge-agent-runner",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      return (error as Error).message;
    });
    const waitMs = typeof response === "string" ? pauseMs * 2 ** attempt : waitOf(response, attempt);
    if (typeof response !== "string" && (waitMs === undefined || attempt === attemptsMax)) {
      return { status: response.status, body: (await response.json().catch(() => undefined)) as unknown };
    }
    if (attempt === attemptsMax) throw new ForgeError(`${forge.kind} cannot be reached: ${response}`);
    await sleep(waitMs, undefined, { signal });
  }
}

/** How long to wait before the same is asked again; undefined where an answer is one, or is too far away. */
function waitOf({ status, headers }: Response, attempt: number): number | undefined {
  const isLimited = status === 429 || (status === 403 && headers.get("x-ratelimit-remaining") === "0");
  if (!isLimited) return status >= 500 ? pauseMs * 2 ** (attempt - 1) : undefined;
  const seconds = headers.get("retry-after");
  const reset = headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset");
  const waitMs = seconds ? Number(seconds) * 1000 : reset ? Number(reset) * 1000 - Date.now() : pauseMs * 2 ** attempt;
  return waitMs <= waitMsMax ? Math.max(waitMs, 0) : undefined;
}

const addressOf = (body: unknown): string | undefined => {
  const { html_url: github, web_url: gitlab } = (body ?? {}) as { html_url?: unknown; web_url?: unknown };
  const address = github ?? gitlab;
  return typeof address === "string" && /^https?:/.test(address) ? address : undefined;
};

/** What a host says of an error, in whichever form. */
const messageOf = (body: unknown): string => JSON.stringify(body ?? "").slice(0, 500);
