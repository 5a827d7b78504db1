import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CallError } from "@lodge/contract/call";
import { type AgentName, agents, readAgent } from "./agents.ts";
import { openKeptResults } from "./kept-results.ts";
import { openLodgeServer } from "./lodge-server.ts";
import type { Forge } from "./pull-request.ts";
import { removeFolder } from "./remove-folder.ts";
import { type HostEnvironment, type RunLimits, whyNoSandbox } from "./run-command.ts";
import { lookAtPullRequests } from "./watch-pull-requests.ts";
import { type Workshop, workOnRun } from "./work-on-run.ts";

/** What `lodged agent-runner` is told (contract section 11). */
export type RunnerSettings = {
  url: string;
  token: string;
  agent: { command: string; speaksAcp?: boolean } | { preset: AgentName };
  concurrency: number;
  isSandboxed: boolean;
  allowedHosts: readonly string[];
  forges: ReadonlyMap<string, Forge>;
  /** Directories that the command may read beside /usr. */
  readable: readonly string[];
  /** Names of variables that the command gets. */
  passedNames: readonly string[];
  limits: RunLimits;
  workDir: string;
  /** Whether it ends after one run, or when there is none. */
  isOnce: boolean;
};

const takeWaitSeconds = 25;
const retryMs = 5_000;
/** How often pull requests are looked at. */
const watchMs = 60_000;

/** The mistake of whoever starts a runner; printed as it is. */
export class RunnerError extends Error {
  override name = "RunnerError";
}

/**
 * Takes runs and works on them until it is told to stop, when it gives back what it has. `say` is told what happens, a line
 * at a time. Throws a `RunnerError` where no sandbox can be made, or the server does not know the runner.
 */
export async function runAgentRunner(
  settings: RunnerSettings,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const host: HostEnvironment = { PATH: env.PATH ?? "/usr/bin:/bin", HOME: env.HOME ?? "/" };
  if (settings.isSandboxed) {
    const why = await whyNoSandbox(host);
    if (why !== undefined) {
      throw new RunnerError(
        `No sandbox can be made here: ${why}\nInstall bubblewrap, and allow user namespaces. With --no-sandbox the command runs as this user, with all that this user may read and reach.`,
      );
    }
  }
  const preset = "preset" in settings.agent ? agents[settings.agent.preset] : undefined;
  const passedEnv = Object.fromEntries(
    [...settings.passedNames, ...(preset?.env ?? [])].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  await mkdir(settings.workDir, { recursive: true, mode: 0o700 });
  await sweep(settings.workDir, host);
  const folder = await mkdtemp(join(settings.workDir, `runner-${process.pid}-${await startOf(process.pid)}-`));

  let isAway = false;
  const server = openLodgeServer(settings.url, settings.token, (error) => {
    if (!isAway) say(`${error.message} Trying again.`);
    isAway = true;
  });
  const workshop: Workshop = {
    server,
    command: "command" in settings.agent ? settings.agent.command : agents[settings.agent.preset].command,
    kept: openKeptResults(settings.workDir, settings.token),
    readOutput: preset && readAgent(preset.read),
    speaksAcp: "command" in settings.agent && settings.agent.speaksAcp === true,
    isSandboxed: settings.isSandboxed,
    forges: settings.forges,
    allowedHosts: [...(preset?.allowedHosts ?? []), ...settings.allowedHosts],
    readable: settings.readable,
    passedEnv,
    secrets: [settings.token, ...Object.values(passedEnv)],
    tokenOf: (name) => env[name],
    limits: settings.limits,
    host,
    folder,
  };

  async function work() {
    while (!stop.aborted) {
      try {
        const run = await server.take(randomUUID(), settings.isOnce ? 0 : takeWaitSeconds, stop);
        isAway = false;
        if (run) {
          say(`run ${run.id}: taken, for ${run.ticket.url}`);
          say(`run ${run.id}: over: ${await workOnRun(workshop, run, stop)}`);
        }
        if (settings.isOnce) return;
      } catch (error) {
        if (stop.aborted) return;
        if (refusalOf(error) !== error) throw refusalOf(error);
        say(`A run failed in the runner: ${(error as Error).stack}`);
        if (settings.isOnce) throw error;
        await sleep(retryMs, undefined, { signal: stop }).catch(() => {});
      }
    }
  }
  const refused = new AbortController();
  const end = AbortSignal.any([stop, refused.signal]);
  async function watch() {
    while (!end.aborted) {
      await lookAtPullRequests({ server, forges: settings.forges, tokenOf: workshop.tokenOf, say }, end).catch(
        (error: unknown) => {
          if (!end.aborted) say(`Pull requests could not be looked at: ${(error as Error).message}`);
        },
      );
      await sleep(watchMs, undefined, { signal: end }).catch(() => {});
    }
  }
  try {
    await workshop.kept.deliver(server, stop).catch((error: unknown) => {
      if (!stop.aborted) throw refusalOf(error);
    });
    if (settings.isOnce) await work();
    else await Promise.all([watch(), ...Array.from({ length: settings.concurrency }, work)]);
  } finally {
    refused.abort();
    await removeFolder(folder, host);
  }
}

/** A token that the server does not know is the mistake of whoever starts the runner. */
const refusalOf = (error: unknown) =>
  error instanceof CallError && error.code === "invalid_runner_token" ? new RunnerError(error.message) : error;

/** Removes what runners that were killed have left behind. */
async function sweep(workDir: string, host: HostEnvironment) {
  for (const name of await readdir(workDir)) {
    const [, pid = "", start = ""] = /^runner-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === "" || (await startOf(Number(pid))) === start) continue;
    await removeFolder(join(workDir, name), host);
  }
}

/** When a process was started, which tells it from a later one with its number; empty where there is none. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.split(") ").at(-1)?.split(" ")[19] ?? "";
}
