import { mkdir } from "node:fs/promises";
import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { TakenRun } from "@lodge/contract/runners";
import { type Git, GitError, git } from "./git.ts";

const depth = 50;

/** A repository at the start of a run. */
export type Clone = {
  /** The runner's own repository with the fetched commits. The agent cannot change its configuration. */
  repository: Git;
  /** The target branch of pull requests. */
  defaultBranch: string;
  /** The commit that the agent starts from: of the run's branch if it exists, or else of the default branch. */
  commit: string;
  algorithm: "sha1" | "sha256";
  /** Whether an earlier attempt at this run already pushed its commit. */
  isPushed: boolean;
};

/** The trailer that names the run in its commit message. */
export const trailerOf = ({ id }: Pick<TakenRun, "id">): string => `Lodge-Run: ${id}`;

/**
 * Fetches a repository into the runner's own repository at `directory`, and checks out the agent's start commit at
 * `tree`, which has no credentials. Throws a `GitError`.
 */
export async function cloneRepository(
  base: Omit<Git, "directory" | "scheme">,
  run: TakenRun,
  { directory, tree, allowsFiles }: { directory: string; tree: string; allowsFiles: boolean },
): Promise<Clone> {
  const { url } = run.repository;
  const scheme = schemeOf(url, allowsFiles);
  const nowhere: Git = { ...base, scheme, directory: undefined };
  const here: Git = { ...nowhere, scheme: "file", token: undefined };
  const listed = (
    await git(nowhere, ["ls-remote", "--symref", "--", url, "HEAD", `refs/heads/${run.branch}`])
  ).toString();
  const defaultBranch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1];
  const head = /^([0-9a-f]+)\tHEAD$/m.exec(listed)?.[1];
  const existing = listed.includes(`\trefs/heads/${run.branch}\n`);
  if (!defaultBranch || !head)
    throw new GitError("The repository has no commit on its default branch. Push one first.");
  const algorithm = head.length === 64 ? "sha256" : "sha1";
  await mkdir(directory);
  await git(nowhere, ["init", "--quiet", "--bare", "--template=", `--object-format=${algorithm}`, "--", directory]);
  const repository: Git = { ...base, scheme, directory };
  const start = existing ? run.branch : defaultBranch;
  const specs = [...new Set([defaultBranch, start])].map((name) => `+refs/heads/${name}:refs/heads/${name}`);
  await git(repository, ["fetch", "--quiet", "--no-tags", `--depth=${depth}`, "--", url, ...specs]);
  const shown = (await git(repository, ["log", "-1", "--format=%H%n%B", `refs/heads/${start}`])).toString();
  const commit = shown.slice(0, shown.indexOf("\n"));
  await git(here, [
    ...["clone", "--quiet", "--no-hardlinks", "--template=", "--branch", start],
    ...["--", directory, tree],
  ]);
  await git(here, ["-C", tree, "remote", "set-url", "origin", withoutUser(url)]);
  return { repository, defaultBranch, commit, algorithm, isPushed: shown.includes(trailerOf(run)) };
}

/** The transport of a repository's address. Throws a `GitError` for an address that this runner does not allow. */
function schemeOf(url: string, allowsFiles: boolean) {
  const scheme = parseRepositoryAddress(url)?.scheme;
  if (scheme === undefined) throw new GitError("Its address must use https, http, ssh or user@host:path.");
  if (scheme === "file" && !allowsFiles) {
    throw new GitError("It is a local repository. Start the runner with --allow-file-repositories.");
  }
  return scheme;
}

/** An address without user name and password. */
function withoutUser(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (!parsed.username && !parsed.password) return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
