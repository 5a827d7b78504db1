import type { Failure, Finish } from "@lodge/contract/runners";
import type { AgentOutput } from "./agents.ts";
import type { Forge } from "./ask-forge.ts";
import type { Release } from "./git-tokens.ts";
import type { KeptResults } from "./kept-results.ts";
import type { Answer, LodgeServer } from "./lodge-server.ts";
import type { Networks } from "./public-address.ts";
import type { RunLog } from "./run-log.ts";
import type { HostEnvironment, RunLimits } from "./sandbox.ts";

/** The dependencies and settings that all runs of a runner share. */
export type Workshop = {
  server: LodgeServer;
  command: string;
  /** Results of runs, until the server has them. */
  kept: KeptResults;
  /** Parses the command's output into log entries; undefined if it is logged unchanged. */
  readOutput: ((log: RunLog) => AgentOutput) | undefined;
  /** Whether the command speaks the Agent Client Protocol. */
  speaksAcp: boolean;
  isSandboxed: boolean;
  /** Whether local repositories (`file:///…`) are allowed. */
  allowsFiles: boolean;
  /** The forges from `--forge`, by host. */
  forges: ReadonlyMap<string, Forge>;
  /** Whether pull requests are drafts. */
  opensDrafts: boolean;
  allowedHosts: readonly string[];
  networks: Networks;
  readable: readonly string[];
  /** The variables to pass to the command, by name. */
  passedEnv: Record<string, string>;
  /** Texts to redact in the log, including the runner's token. */
  secrets: readonly string[];
  /** The token that may be sent to a repository's host. */
  release: (repository: { url: string; credentialsEnv: string | null }) => Release;
  limits: RunLimits;
  host: HostEnvironment;
  /** The folder of the runs' directories, each of which is deleted after its run. */
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
