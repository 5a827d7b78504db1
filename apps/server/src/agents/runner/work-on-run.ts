import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import querystring from "node:querystring";
import { setTimeout as sleep } from "node:timers/promises";
import { runPatchLengthMax, runSummaryLengthMax } from "@lodge/contract/limits";
import type { Failure, Finish, TakenRun } from "@lodge/contract/runners";
import type { AgentOutput } from "./agents.ts";
import { type Clone, cloneRepository, trailerOf } from "./clone-repository.ts";
import { openEgressProxy } from "./egress-proxy.ts";
import { GitError, git } from "./git.ts";
import { openIgnoredPaths } from "./ignored-paths.ts";
import { commitChanges, readCommit, readTree, type Tree, TreeRefusal } from "./import-tree.ts";
import type { KeptResults } from "./kept-results.ts";
import { type Answer, isLost, type LodgeServer } from "./lodge-server.ts";
import { type Forge, ForgeError, forgeOf, openPullRequest } from "./pull-request.ts";
import { openQuestions } from "./questions.ts";
import { redact } from "./redact.ts";
import { removeFolder } from "./remove-folder.ts";
import {
  askProgram,
  askScript,
  type HostEnvironment,
  type RunFolders,
  type RunLimits,
  runCommand,
  treeOf,
} from "./run-command.ts";
import { openRunLog, type RunLog } from "./run-log.ts";
import { speakAcp } from "./speak-acp.ts";
import { ticketFile } from "./ticket-file.ts";

/** How a runner works, whatever the run. */
export type Workshop = {
  server: LodgeServer;
  command: string;
  /** What came of runs, until the server has it. */
  kept: KeptResults;
  /** Makes steps of what the command writes out; undefined where it is shown as it is. */
  readOutput: ((log: RunLog) => AgentOutput) | undefined;
  /** Whether the command speaks the Agent Client Protocol. */
  speaksAcp: boolean;
  isSandboxed: boolean;
  /** Hosts of repositories that are named beside those that are known. */
  forges: ReadonlyMap<string, Forge>;
  allowedHosts: readonly string[];
  readable: readonly string[];
  /** What the command gets of the runner's environment, by name. */
  passedEnv: Record<string, string>;
  /** What the log never shows, the runner's token among it. */
  secrets: readonly string[];
  /** The value of a variable of the runner's environment. */
  tokenOf: (name: string) => string | undefined;
  limits: RunLimits;
  host: HostEnvironment;
  /** Where each run gets a directory of its own, which is gone after it. */
  folder: string;
};

const heartbeatMs = 4_000;
/** What is about to be pushed needs a lease that has so much left. */
const freshMs = 10_000;
/** A question that nobody has answered by then is given up. */
const questionMs = 86_400_000;
/** How long a runner that is told to stop tries to hand a result over, which it has kept. */
const partingMs = 5_000;
const pushAttempts = 3;
const pushPauseMs = 2_000;
/** What the other side says where trying again will not help. */
const isFinal = /rejected|declined|denied|forbidden|not permitted|unauthorized|authentication failed|could not read/i;
const author = "Lodge agent <agent@lodge.invalid>";

const taken = "it is no longer this runner's";

/** What came of a run, before it is told. */
type Result = Omit<Finish, "fence">;

const failed = (failure: Failure): Result => ({ outcome: "failed", failure });

/**
 * Works on a run from its clone to its branch, and tells the server what came of it. Ends everything at once when the run
 * is no longer the runner's; gives it back when `stop` says that the runner ends. Leaves nothing behind. Returns what came of
 * it in a line for the operator.
 */
export async function workOnRun(workshop: Workshop, run: TakenRun, stop: AbortSignal): Promise<string> {
  const { server } = workshop;
  const lost = new AbortController();
  const over = new AbortController();
  const conversation: Conversation = { onAnswer: () => {} };
  const beating = beat(server, run, lost, over.signal, conversation);
  const token = run.repository.credentialsEnv === null ? undefined : workshop.tokenOf(run.repository.credentialsEnv);
  const { password = "" } = URL.parse(run.repository.url) ?? {};
  const secrets = [...workshop.secrets, ...(token ? [token] : []), password, querystring.unescape(password)];
  const parting = new AbortController();
  const reachable = AbortSignal.any([lost.signal, parting.signal]);
  const log = openRunLog((offset, entries) => server.appendLog(run, offset, entries, reachable), {
    offset: run.logLength,
    secrets,
  });
  let folder: string | undefined;
  try {
    const work = AbortSignal.any([lost.signal, stop]);
    log.add("note", `Taken, to work on ${run.repository.name}.`);
    const result = await (async () => {
      await mkdir(workshop.folder, { recursive: true, mode: 0o700 }); // what tidies /tmp may have taken it meanwhile
      folder = await mkdtemp(join(workshop.folder, "run-"));
      return carryOut(workshop, run, { folder, log, token, secrets, conversation, signal: work });
    })().catch((error: unknown) => {
      if (work.aborted) return undefined;
      log.add("note", `The runner failed: ${(error as Error).message}`);
      return failed("runner_failed");
    });
    if (lost.signal.aborted) return taken;
    if (!result) {
      const soon = AbortSignal.any([lost.signal, AbortSignal.timeout(partingMs)]);
      await server.finish(run, { outcome: "given_back" }, soon);
      return "given back";
    }
    const kept = { run: { id: run.id, fence: run.fence }, result, log: log.seal() };
    await workshop.kept.keep(kept).catch(() => {}); // a disk without room costs the safety, not the result
    const part = () => void setTimeout(() => parting.abort(), partingMs).unref();
    stop.addEventListener("abort", part);
    if (stop.aborted) part();
    await log.close();
    await server.finish(run, result, reachable);
    await workshop.kept.drop(run);
    return `${result.outcome}${result.failure ? ` (${result.failure})` : ""}: ${log.lastNote()}`;
  } catch (error) {
    if (lost.signal.aborted || isLost(error)) {
      await workshop.kept.drop(run);
      return taken;
    }
    if (!stop.aborted) throw error;
    return "the runner was stopped";
  } finally {
    over.abort();
    await beating;
    if (folder !== undefined) await removeFolder(folder, workshop.host);
  }
}

/** Who hears what people answer. */
type Conversation = { onAnswer: (answer: Answer) => void };

type Work = {
  folder: string;
  log: RunLog;
  token: string | undefined;
  secrets: readonly string[];
  conversation: Conversation;
  signal: AbortSignal;
};

async function carryOut(workshop: Workshop, run: TakenRun, work: Work): Promise<Result> {
  const { folder, log, token, signal } = work;
  const tree = join(folder, "tree");
  const say = (text: string) => log.add("note", text);
  let clone: Clone;
  try {
    const base = { host: workshop.host, token, signal };
    clone = await cloneRepository(base, run, { directory: join(folder, "repository.git"), tree });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    say(`The repository could not be cloned: ${error.message}`);
    return failed("clone_failed");
  }
  if (clone.isPushed) {
    say(`An earlier runner has pushed ${clone.commit.slice(0, 12)} already.`);
    return withPullRequest(
      workshop,
      run,
      clone,
      { outcome: "succeeded", branch: run.branch, commit: clone.commit },
      work,
    );
  }
  const base = await readCommit(clone.repository, clone.commit);
  const { algorithm } = clone;
  const before = await readTree(tree, base, { algorithm, isIgnored: async () => new Set(), onSkipped: () => {} });
  say(`Cloned at ${clone.commit.slice(0, 12)}: ${before.size} files. The command starts.`);

  const usage = await command(workshop, run, { ...work, tree });
  if ("failure" in usage) return { ...usage.spent, ...failed(usage.failure) };
  try {
    const after = await lookAgain(clone, tree, before, (path, why) => say(`Left out ${path}: ${why}.`));
    const commit = await commitChanges(clone.repository, tree, before, after, {
      parent: clone.commit,
      branch: run.branch,
      message: `${run.ticket.title}\n\n${run.ticket.url}\n\n${trailerOf(run)}\n`,
      author,
      at: new Date(),
    });
    if (!commit) {
      say("Nothing has changed.");
      return { ...usage.spent, outcome: "no_change" };
    }
    const paths = commit.paths.map((path) => Buffer.from(path, "latin1").toString());
    log.add(
      "edited",
      paths.length > 50 ? `${paths.slice(0, 50).join("\n")}\n… and ${paths.length - 50} more` : paths.join("\n"),
    );
    return { ...usage.spent, ...(await deliver(workshop, run, clone, commit.commit, work)) };
  } catch (error) {
    if (!(error instanceof TreeRefusal)) throw error;
    say(error.message);
    return { ...usage.spent, ...failed("tree_refused") };
  }
}

/** What the agent has left. */
async function lookAgain(clone: Clone, root: string, known: Tree, onSkipped: (path: string, why: string) => void) {
  const ignored = openIgnoredPaths(clone.repository, root);
  try {
    return await readTree(root, known, { algorithm: clone.algorithm, isIgnored: ignored.isIgnored, onSkipped });
  } finally {
    ignored.close();
  }
}

type Spent = Pick<Finish, "costMicroUsd" | "inputTokens" | "outputTokens" | "summary">;

async function command(
  workshop: Workshop,
  run: TakenRun,
  { folder, tree, log, secrets, conversation, signal }: Work & { tree: string },
): Promise<{ spent: Spent } | { spent: Spent; failure: Failure }> {
  const folders: RunFolders = {
    tree,
    ticketFile: join(folder, "ticket.md"),
    proxySocket: join(folder, "proxy.sock"),
    questionSocket: join(folder, "ask.sock"),
    bin: join(folder, "bin"),
    etc: join(folder, "etc"),
  };
  const { isSandboxed } = workshop;
  await mkdir(folders.etc);
  await mkdir(folders.bin);
  await writeFile(join(folders.bin, askProgram), askScript(folders, isSandboxed), { mode: 0o755 });
  await writeFile(join(folders.etc, "passwd"), "agent:x:1000:1000::/home/agent:/bin/sh\n");
  await writeFile(join(folders.etc, "group"), "agent:x:1000:\n");
  await writeFile(join(folders.etc, "hosts"), "127.0.0.1 localhost\n");
  const ticket = ticketFile(run);
  await writeFile(folders.ticketFile, ticket);
  const proxy = await openEgressProxy(folders.proxySocket, workshop.allowedHosts, (target) =>
    log.add("refused", target),
  );
  const questions = await openQuestions(folders.questionSocket, (question, over) =>
    askPeople(workshop, run, { log, conversation, signal: AbortSignal.any([signal, over]) }, shown(question, secrets)),
  );
  let output = workshop.readOutput?.(log);
  const converse = (send: (line: string) => void, onOver: () => void) => {
    output = speakAcp(log, { cwd: treeOf(folders, isSandboxed), prompt: ticket, send, onOver });
  };
  try {
    const end = await runCommand({
      command: workshop.command,
      folders,
      env: {
        LODGE_TICKET_ID: run.ticket.id,
        LODGE_TICKET_URL: run.ticket.url,
        LODGE_RUN_ID: run.id,
        ...workshop.passedEnv,
      },
      readable: workshop.readable,
      limits: workshop.limits,
      isSandboxed,
      host: workshop.host,
      onOutput: (piece, isError) => (output && !isError ? output.write(piece) : log.write(piece)),
      converse: workshop.speaksAcp ? converse : undefined,
      waitedMs: questions.waitedMs,
      signal,
    });
    const { summary, failure, ...numbers } = output?.end() ?? {};
    const spent = { ...numbers, ...(summary && { summary: shown(summary, secrets) }) };
    signal.throwIfAborted();
    if (end.kind === "not_started") {
      log.add("note", `The sandbox could not be made: ${end.message}`);
      return { spent, failure: "sandbox_failed" };
    }
    if (end.kind === "ended") {
      log.add("note", `The command was ended: ${end.why.replaceAll("_", " ")}.`);
      return { spent, failure: end.why === "timed_out" ? "timed_out" : "command_failed" };
    }
    if (failure !== undefined) {
      log.add("note", failure);
      return { spent, failure: "command_failed" };
    }
    log.add("note", `The command ended with ${end.code}.`);
    return end.code === 0 ? { spent } : { spent, failure: "command_failed" };
  } finally {
    await questions.close();
    await proxy.close();
  }
}

/** What an agent says to people, without secrets, as the server takes it. */
const shown = (text: string, secrets: readonly string[]): string =>
  [...redact(text, secrets).replaceAll("\0", "").toWellFormed()].slice(0, runSummaryLengthMax).join("");

/** Asks the people of a ticket, and waits for the first of them to comment on it; undefined where nobody does for a day. */
async function askPeople(
  { server }: Workshop,
  run: TakenRun,
  { log, conversation, signal }: Pick<Work, "log" | "conversation" | "signal">,
  question: string,
): Promise<string | undefined> {
  const answered = Promise.withResolvers<Answer | undefined>();
  const givenUp = AbortSignal.any([signal, AbortSignal.timeout(questionMs)]);
  givenUp.addEventListener("abort", () => answered.resolve(undefined));
  await server.askPeople(run, question, signal);
  log.add("said", question);
  conversation.onAnswer = answered.resolve;
  const answer = await answered.promise;
  conversation.onAnswer = () => {};
  if (answer) log.add("note", `${answer.author} has answered.`);
  return answer && `${answer.author}: ${answer.text}`;
}

/** Pushes a commit, or keeps it as a patch where that cannot be. A runner that no longer has the run pushes nothing. */
async function deliver(workshop: Workshop, run: TakenRun, clone: Clone, commit: string, work: Work): Promise<Result> {
  const { server } = workshop;
  const { repository, commit: parent } = clone;
  const { log, secrets, signal } = work;
  for (let attempt = 1; ; attempt++) {
    let asked: number;
    do {
      asked = performance.now();
      await server.heartbeat(run, signal);
    } while (performance.now() - asked > freshMs); // it was paused meanwhile, and the answer is of no use
    try {
      await git(repository, ["push", "--quiet", "--", run.repository.url, `${commit}:refs/heads/${run.branch}`]);
      log.add("note", `Pushed ${commit.slice(0, 12)} to ${run.branch}.`);
      return withPullRequest(workshop, run, clone, { outcome: "succeeded", branch: run.branch, commit }, work);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (attempt < pushAttempts && !isFinal.test(error.message)) {
        await sleep(pushPauseMs, undefined, { signal });
        continue;
      }
      log.add("note", `The commit could not be pushed, and is kept as a patch: ${error.message}`);
      const diff = ["diff", "--binary", "--no-ext-diff", "--no-textconv", parent, commit];
      const patch = await git(repository, diff).catch((failure: unknown) => {
        if (!(failure instanceof GitError)) throw failure; // it wrote more than is read of it
      });
      const text = patch && redact(patch.toString("utf8").replaceAll("\0", "\u2400"), secrets);
      if (text === undefined || text.length > runPatchLengthMax) {
        log.add("note", "The patch is too large to be kept.");
        return { outcome: "succeeded" };
      }
      return { outcome: "succeeded", patch: text };
    }
  }
}

/** Opens a pull request for a branch that was pushed, where its host is one that is known and there is a token for it. */
async function withPullRequest(
  { server, forges }: Workshop,
  run: TakenRun,
  { defaultBranch }: Clone,
  result: Result,
  { log, token, signal }: Work,
): Promise<Result> {
  const forge = forgeOf(run.repository.url, forges);
  if (!forge || token === undefined) return result;
  const { title, url } = run.ticket;
  const body = `${url}\n\nThe organisation's agent made this. Nobody has read it yet.`;
  await server.heartbeat(run, signal);
  try {
    const pullRequestUrl = await openPullRequest(
      forge,
      token,
      { branch: run.branch, into: defaultBranch, title, body },
      signal,
    );
    log.add("note", `Opened ${pullRequestUrl}`);
    return { ...result, pullRequestUrl };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    log.add("note", `The pull request could not be opened: ${error.message}`);
    return result;
  }
}

/** Keeps the lease; aborts `lost` where the run is another's. An answer is told once. */
async function beat(
  server: LodgeServer,
  run: TakenRun,
  lost: AbortController,
  over: AbortSignal,
  conversation: Conversation,
) {
  let heard: string | undefined;
  while (!over.aborted) {
    try {
      await sleep(heartbeatMs, undefined, { signal: over });
      const answer = await server.heartbeat(run, over);
      if (answer && answer.id !== heard) conversation.onAnswer(answer);
      heard = answer?.id ?? heard;
    } catch (error) {
      if (over.aborted) return;
      lost.abort(error); // also where the server says that this runner may do nothing
      return;
    }
  }
}
