import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CallError } from "@lodge/contract/call";
import { agents, readAgent } from "./agents.ts";
import { releaseToken } from "./git-tokens.ts";
import { openKeptResults } from "./kept-results.ts";
import { openLodgeServer } from "./lodge-server.ts";
import { removeFolder } from "./remove-folder.ts";
import { commandOf, hostOf, type RunnerSettings } from "./runner-settings.ts";
import type { HostEnvironment } from "./sandbox.ts";
import { lookAtPullRequests } from "./watch-pull-requests.ts";
import { workOnRun } from "./work-on-run.ts";
import type { Workshop } from "./workshop.ts";

const takeWaitSeconds = 25;
const retryMs = 5_000;
/** The interval at which pull requests are checked. */
const watchMs = 60_000;
/** The least time between two log lines about an unreachable server. */
const unreachableLogMs = 30_000;

/** A mistake in the runner's setup. The message is printed without a stack. */
export class RunnerError extends Error {
  override name = "RunnerError";
}

type Environment = Readonly<Record<string, string | undefined>>;
type Say = (line: string) => void;

/**
 * Takes runs and works on them until `stop`, then gives back unfinished ones. Calls `say` with each log line. Throws a
 * `RunnerError` if the server rejects the runner's token.
 */
export async function runAgentRunner(
  settings: RunnerSettings,
  env: Environment,
  say: Say,
  stop: AbortSignal,
): Promise<void> {
  const host = hostOf(env);
  await mkdir(settings.workDir, { recursive: true, mode: 0o700 });
  await sweep(settings.workDir, host);
  const folder = await mkdtemp(join(settings.workDir, `runner-${process.pid}-${await startOf(process.pid)}-`));
  const workshop = openWorkshop(settings, env, folder, say);
  const refused = new AbortController();
  try {
    await workshop.kept.deliver(workshop.server, stop).catch((error: unknown) => {
      if (!stop.aborted) throw refusalOf(error);
    });
    const work = () => takeRuns(workshop, settings.isOnce, say, stop);
    if (settings.isOnce) await work();
    else {
      const watching = watch(workshop, say, AbortSignal.any([stop, refused.signal]));
      await Promise.all([watching, ...Array.from({ length: settings.concurrency }, work)]);
    }
  } finally {
    refused.abort();
    await removeFolder(folder, host);
  }
}

/** The shared resources of a runner's runs. */
function openWorkshop(settings: RunnerSettings, env: Environment, folder: string, say: Say): Workshop {
  const preset = "preset" in settings.agent ? agents[settings.agent.preset] : undefined;
  const passedEnv = Object.fromEntries(
    [...settings.passedNames, ...(preset?.env ?? [])].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const tokens = settings.gitTokens.flatMap(({ name }) => env[name] ?? []);
  let loggedAt = 0;
  return {
    server: openLodgeServer(settings.url, settings.token, (error) => {
      if (Date.now() - loggedAt > unreachableLogMs) say(`${error.message} Trying again.`);
      loggedAt = Date.now();
    }),
    command: commandOf(settings),
    kept: openKeptResults(settings.workDir, settings.token),
    readOutput: preset && readAgent(preset.read),
    speaksAcp: "command" in settings.agent && settings.agent.speaksAcp === true,
    isSandboxed: settings.isSandboxed,
    allowsFiles: settings.allowsFiles,
    forges: settings.forges,
    opensDrafts: settings.opensDrafts,
    allowedHosts: [...(preset?.allowedHosts ?? []), ...settings.allowedHosts],
    networks: settings.networks,
    readable: settings.readable,
    passedEnv,
    secrets: [settings.token, ...Object.values(passedEnv), ...tokens],
    release: (repository) => releaseToken(settings.gitTokens, env, repository),
    limits: settings.limits,
    host: hostOf(env),
    folder,
  };
}

/** Takes one run after the other, or only one with `isOnce`. Throws a `RunnerError` if the token is no longer valid. */
async function takeRuns(workshop: Workshop, isOnce: boolean, say: Say, stop: AbortSignal) {
  while (!stop.aborted) {
    try {
      const run = await workshop.server.take(randomUUID(), isOnce ? 0 : takeWaitSeconds, stop);
      if (run) {
        say(`run ${run.id}: taken, for ${run.ticket.url}`);
        say(`run ${run.id}: ended: ${await workOnRun(workshop, run, stop)}`);
      }
      if (isOnce) return;
    } catch (error) {
      if (stop.aborted) return;
      if (refusalOf(error) !== error) throw refusalOf(error);
      say(`A run failed in the runner: ${(error as Error).stack}`);
      if (isOnce) throw error;
      await sleep(retryMs, undefined, { signal: stop }).catch(() => {});
    }
  }
}

/** Checks pull requests periodically. */
async function watch(workshop: Workshop, say: Say, end: AbortSignal) {
  while (!end.aborted) {
    await lookAtPullRequests({ ...workshop, say }, end).catch((error: unknown) => {
      if (!end.aborted) say(`Pull requests could not be checked: ${(error as Error).message}`);
    });
    await sleep(watchMs, undefined, { signal: end }).catch(() => {});
  }
}

/** An invalid token becomes a `RunnerError`. */
const refusalOf = (error: unknown) =>
  error instanceof CallError && error.code === "invalid_runner_token" ? new RunnerError(error.message) : error;

/** Removes the folders of killed runners. */
async function sweep(workDir: string, host: HostEnvironment) {
  for (const name of await readdir(workDir)) {
    const [, pid = "", start = ""] = /^runner-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === "" || (await startOf(Number(pid))) === start) continue;
    await removeFolder(join(workDir, name), host);
  }
}

/** The start time of a process, which distinguishes it from a later one with the same pid; empty if there is none. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.split(") ").at(-1)?.split(" ")[19] ?? "";
}
