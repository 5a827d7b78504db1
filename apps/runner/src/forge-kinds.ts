import { type Fields, type Forge, fieldsOf, listOf } from "./ask-forge.ts";

/** A pull request to open, from a pushed branch into another. */
export type PullRequest = { branch: string; into: string; title: string; body: string; isDraft: boolean };

/** Reads from a forge's API. Returns undefined for 404 if `isOptional`. Throws a `ForgeError`. */
export type Read = (address: string, isOptional?: boolean) => Promise<unknown>;

/** A pull request; if it is merged, with a function that finds the first release that contains it. */
type Found = { state: "open" | "merged" | "closed"; findVersion?: () => Promise<string | undefined> };

/** The pull request API of one kind of forge. */
export type ForgeKind = {
  /** The path of the repository, whose response has `default_branch`. */
  repository: (path: string) => string;
  /** The path of the open pull requests of a branch, or of the only one. */
  find: (path: string, wanted: Pick<PullRequest, "branch" | "into">) => string;
  create: (path: string, wanted: PullRequest) => { address: string; body: object };
  isDuplicate: (status: number, words: string) => boolean;
  read: (read: Read, path: string, number: string) => Promise<Found>;
};

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

const github: ForgeKind = {
  repository: (path) => `/repos/${encoded(path)}`,
  find: (path, { branch, into }) => {
    const [owner = ""] = path.split("/");
    const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}`, base: into });
    return `/repos/${encoded(path)}/pulls?${query}`;
  },
  create: (path, { branch, into, title, body, isDraft }) => ({
    address: `/repos/${encoded(path)}/pulls`,
    body: { title, body, head: branch, base: into, ...(isDraft && { draft: true }) },
  }),
  isDuplicate: (status, words) => status === 422 && /already exists/i.test(words),
  read: async (read, path, number) => {
    const repository = `/repos/${encoded(path)}`;
    const found = fieldsOf(await read(`${repository}/pulls/${number}`));
    const { state, merged_at: mergedAt, merge_commit_sha: commit } = found;
    if (typeof mergedAt !== "string") return { state: state === "closed" ? "closed" : "open" };
    const findVersion = async () => {
      const releases = listOf(await read(`${repository}/releases?per_page=100`)).filter(({ draft }) => draft !== true);
      for (const tag of since(mergedAt, releases, "published_at")) {
        const range = `${encodeURIComponent(String(commit))}...${encodeURIComponent(tag)}`;
        const compared = await read(`${repository}/compare/${range}`, true); // a tag may be deleted or belong to an unrelated history
        if (["ahead", "identical"].includes(String(fieldsOf(compared).status))) return tag;
      }
      return undefined;
    };
    return { state: "merged", findVersion };
  },
};

const gitlab: ForgeKind = {
  repository: (path) => `/projects/${encodeURIComponent(path)}`,
  find: (path, { branch, into }) => {
    const query = new URLSearchParams({ state: "opened", source_branch: branch, target_branch: into });
    return `/projects/${encodeURIComponent(path)}/merge_requests?${query}`;
  },
  create: (path, { branch, into, title, body, isDraft }) => ({
    address: `/projects/${encodeURIComponent(path)}/merge_requests`,
    body: {
      title: isDraft ? `Draft: ${title}` : title,
      description: body,
      source_branch: branch,
      target_branch: into,
    },
  }),
  isDuplicate: (status) => status === 409,
  read: async (read, path, number) => {
    const project = `/projects/${encodeURIComponent(path)}`;
    const merged = fieldsOf(await read(`${project}/merge_requests/${number}`));
    const { state, merged_at: mergedAt } = merged;
    if (state !== "merged" || typeof mergedAt !== "string") return { state: state === "closed" ? "closed" : "open" };
    const shas = [merged.merge_commit_sha, merged.squash_commit_sha, merged.sha];
    const commit = shas.find((sha) => typeof sha === "string");
    const findVersion = async () => {
      const tags = since(mergedAt, listOf(await read(`${project}/releases?per_page=100`)), "released_at");
      if (tags.length === 0) return undefined;
      const refs = await read(`${project}/repository/commits/${commit}/refs?type=tag&per_page=100`);
      const having = new Set(listOf(refs).map(({ name }) => name));
      return tags.find((tag) => having.has(tag));
    };
    return { state: "merged", findVersion };
  },
};

const gitea: ForgeKind = {
  repository: (path) => `/repos/${encoded(path)}`,
  find: (path, { branch, into }) =>
    `/repos/${encoded(path)}/pulls/${encodeURIComponent(into)}/${encodeURIComponent(branch)}`,
  create: (path, { branch, into, title, body, isDraft }) => ({
    address: `/repos/${encoded(path)}/pulls`,
    body: { title: isDraft ? `WIP: ${title}` : title, body, head: branch, base: into },
  }),
  isDuplicate: (status) => status === 409,
  read: async (read, path, number) => {
    const repository = `/repos/${encoded(path)}`;
    const found = fieldsOf(await read(`${repository}/pulls/${number}`));
    const { state, merged, merged_at: mergedAt, merge_commit_sha: commit } = found;
    if (merged !== true || typeof mergedAt !== "string") return { state: state === "closed" ? "closed" : "open" };
    const findVersion = async () => {
      const releases = listOf(await read(`${repository}/releases?limit=50`)).filter(({ draft }) => draft !== true);
      for (const tag of since(mergedAt, releases, "published_at")) {
        // The commits that the tag does not contain.
        const range = `${encodeURIComponent(tag)}...${encodeURIComponent(String(commit))}`;
        const compared = await read(`${repository}/compare/${range}`, true);
        if (fieldsOf(compared).total_commits === 0) return tag;
      }
      return undefined;
    };
    return { state: "merged", findVersion };
  },
};

export const forgeKinds: Readonly<Record<Forge["kind"], ForgeKind>> = { github, gitlab, gitea };

/** The tags of the releases after a time, oldest first. */
const since = (mergedAt: string, releases: Fields[], at: string): string[] =>
  releases
    .map((release) => ({ tag: release.tag_name, at: Date.parse(String(release[at])) }))
    .filter((release): release is { tag: string; at: number } => typeof release.tag === "string")
    .filter((release) => release.at >= Date.parse(mergedAt))
    .sort((one, other) => one.at - other.at)
    .map(({ tag }) => tag);
