import type { Failure, Finish } from "@lodge/contract/runners";
import type { AgentOutput } from "./agents.ts";
import type { Forge } from "./ask-forge.ts";
import type { Release } from "./git-tokens.ts";
import type { KeptResults } from "./kept-results.ts";
import type { Answer, LodgeServer } from "./lodge-server.ts";
import type { Networks } from "./public-address.ts";
import type { RunLog } from "./run-log.ts";
import type { HostEnvironment, RunLimits } from "./sandbox.ts";

/** How a runner works, whatever the run. */
export type Workshop = {
  server: LodgeServer;
  command: string;
  /** Results of runs, until the server has it. */
  kept: KeptResults;
  /** Makes steps of what the command writes out; undefined where it is shown as it is. */
  readOutput: ((log: RunLog) => AgentOutput) | undefined;
  /** Whether the command speaks the Agent Client Protocol. */
  speaksAcp: boolean;
  isSandboxed: boolean;
  /** Whether repositories may be `file:///…`. */
  allowsFiles: boolean;
  /** Hosts of repositories that are named beside those that are known. */
  forges: ReadonlyMap<string, Forge>;
  /** Whether pull requests are drafts. */
  opensDrafts: boolean;
  allowedHosts: readonly string[];
  networks: Networks;
  readable: readonly string[];
  /** The variables of the runner's environment that the command gets, by name. */
  passedEnv: Record<string, string>;
  /** The texts that the log never shows, the runner's token among it. */
  secrets: readonly string[];
  /** The token that may go to a repository's host. */
  release: (repository: { url: string; credentialsEnv: string | null }) => Release;
  limits: RunLimits;
  host: HostEnvironment;
  /** Where each run gets a directory of its own, which is gone after it. */
  folder: string;
};

/** Receives the answers of people. */
export type Conversation = { onAnswer: (answer: Answer) => void };

/** The dependencies of working on a run. */
export type Work = {
  folder: string;
  log: RunLog;
  token: string | undefined;
  secrets: readonly string[];
  conversation: Conversation;
  signal: AbortSignal;
};

/** The result of a run, before it is sent. */
export type Result = Omit<Finish, "fence">;

/** A run that failed, and why. */
export const failed = (failure: Failure): Result => ({ outcome: "failed", failure });
