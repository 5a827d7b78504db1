import { join } from "node:path";
import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { TakenRun } from "@lodge/contract/runners";
import { type Clone, cloneRepository, trailerOf } from "./clone-repository.ts";
import { deliverCommit, withPullRequest } from "./deliver-commit.ts";
import { GitError } from "./git.ts";
import { openIgnoredPaths } from "./ignored-paths.ts";
import { commitChanges, readCommit, readTree, type Tree, TreeRefusal } from "./import-tree.ts";
import { runAgent } from "./run-agent.ts";
import { failed, type Result, type Work, type Workshop } from "./workshop.ts";

const author = "Lodge agent <agent@lodge.invalid>";

/**
 * Clones the repository of a run, runs the agent in it, and pushes the changes. Throws if the run is aborted or the
 * runner itself fails.
 */
export async function carryOutRun(workshop: Workshop, run: TakenRun, work: Work): Promise<Result> {
  const { folder, log, token, signal } = work;
  const tree = join(folder, "tree");
  const say = (text: string) => log.add("note", text);
  let clone: Clone;
  try {
    const { scheme, host = "" } = parseRepositoryAddress(run.repository.url) ?? {};
    const gitToken = token !== undefined && scheme === "https" ? { value: token, host } : undefined;
    const base = { host: workshop.host, token: gitToken, signal };
    const { allowsFiles } = workshop;
    clone = await cloneRepository(base, run, { directory: join(folder, "repository.git"), tree, allowsFiles });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    say(`The repository could not be cloned: ${error.message}`);
    return failed("clone_failed");
  }
  if (clone.isPushed) {
    say(`An earlier runner already pushed ${clone.commit.slice(0, 12)}.`);
    return withPullRequest(
      workshop,
      run,
      { ...clone, summary: null },
      { outcome: "succeeded", branch: run.branch, commit: clone.commit },
      work,
    );
  }
  const base = await readCommit(clone.repository, clone.commit);
  const { algorithm } = clone;
  const before = await readTree(tree, base, { algorithm, isIgnored: async () => new Set(), onSkipped: () => {} });
  say(`Cloned commit ${clone.commit.slice(0, 12)} with ${before.size} files. Starting the command.`);

  const usage = await runAgent(workshop, run, { ...work, tree });
  if (usage.failure) return { ...usage.spent, ...failed(usage.failure) };
  try {
    const after = await readResult(clone, tree, before, (path, why) => say(`Left out ${path}: ${why}.`));
    const commit = await commitChanges(clone.repository, tree, before, after, {
      parent: clone.commit,
      branch: run.branch,
      message: `${run.ticket.title}\n\n${run.ticket.url}\n\n${trailerOf(run)}\n`,
      author,
      at: new Date(),
    });
    if (!commit) {
      say("The command changed no files.");
      return { ...usage.spent, outcome: "no_change" };
    }
    const paths = commit.paths.map((path) => Buffer.from(path, "latin1").toString());
    log.add(
      "edited",
      paths.length > 50 ? `${paths.slice(0, 50).join("\n")}\n… and ${paths.length - 50} more` : paths.join("\n"),
    );
    const delivered = { commit: commit.commit, summary: usage.spent.summary };
    return { ...usage.spent, ...(await deliverCommit(workshop, run, clone, delivered, work)) };
  } catch (error) {
    if (!(error instanceof TreeRefusal)) throw error;
    say(error.message);
    return { ...usage.spent, ...failed("tree_refused") };
  }
}

/** Reads the clone after the agent's work. */
async function readResult(clone: Clone, root: string, known: Tree, onSkipped: (path: string, why: string) => void) {
  const ignored = openIgnoredPaths(clone.repository, root);
  try {
    return await readTree(root, known, { algorithm: clone.algorithm, isIgnored: ignored.isIgnored, onSkipped });
  } finally {
    ignored.close();
  }
}
