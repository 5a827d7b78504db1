import { mkdir } from "node:fs/promises";
import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { TakenRun } from "@lodge/contract/runners";
import { type Git, GitError, git } from "./git.ts";

const depth = 50;

/** A repository as a run begins. */
export type Clone = {
  /** The runner's own, with what was fetched; nothing of the agent's comes near its settings. */
  repository: Git;
  /** The branch that a pull request goes into. */
  defaultBranch: string;
  /** The commit that the agent starts from: the run's branch where there is one, else the default branch. */
  commit: string;
  algorithm: "sha1" | "sha256";
  /** Whether an earlier taking of this very run has pushed its commit. */
  isPushed: boolean;
};

/** How a commit names the run that made it. */
export const trailerOf = ({ id }: Pick<TakenRun, "id">): string => `Lodge-Run: ${id}`;

/**
 * Fetches a repository into one of the runner's own at `directory`, and checks out what the agent begins with at `tree`,
 * which has no credentials. Throws a `GitError`.
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
  if (!defaultBranch || !head) throw new GitError("The repository has no commit on its default branch.");
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

/** How git reaches a repository. Throws a `GitError` for an address that this runner does not work on. */
function schemeOf(url: string, allowsFiles: boolean) {
  const scheme = parseRepositoryAddress(url)?.scheme;
  if (scheme === undefined) throw new GitError("Its address must use https, http, ssh or user@host:path.");
  if (scheme === "file" && !allowsFiles) {
    throw new GitError("It is on a disk: only a runner with --allow-file-repositories works on it.");
  }
  return scheme;
}

/** An address without the name and the password that it may carry. */
function withoutUser(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (!parsed.username && !parsed.password) return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
