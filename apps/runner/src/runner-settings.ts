import { type AgentName, agents } from "./agents.ts";
import type { Forge } from "./ask-forge.ts";
import type { GitToken } from "./git-tokens.ts";
import type { Networks } from "./public-address.ts";
import type { HostEnvironment, RunLimits } from "./sandbox.ts";

/** The settings of `lodged agent-runner` (contract section 11). */
export type RunnerSettings = {
  url: string;
  token: string;
  agent: { command: string; speaksAcp?: boolean } | { preset: AgentName };
  concurrency: number;
  isSandboxed: boolean;
  /** Whether local repositories (`file:///…`) are allowed. */
  allowsFiles: boolean;
  allowedHosts: readonly string[];
  /** Private networks to which allowed hosts may resolve. */
  networks: Networks;
  forges: ReadonlyMap<string, Forge>;
  /** Whether pull requests are opened as drafts. */
  opensDrafts: boolean;
  /** Directories that the command may read in addition to /usr. */
  readable: readonly string[];
  /** The variables with tokens, and the host of each. */
  gitTokens: readonly GitToken[];
  /** The names of variables to pass to the command. */
  passedNames: readonly string[];
  limits: RunLimits;
  workDir: string;
  /** The file with the token, which the command must not be able to read; undefined if there is no file. */
  tokenFile?: string | undefined;
  /** Whether the runner exits after one run, or if no run is waiting. */
  isOnce: boolean;
};

/** The part of the runner's environment that is passed to its own programs. */
export const hostOf = (env: Readonly<Record<string, string | undefined>>): HostEnvironment => ({
  PATH: env.PATH ?? "/usr/bin:/bin",
  HOME: env.HOME ?? "/",
  GIT_SSL_CAINFO: env.GIT_SSL_CAINFO,
});

/** The command that a runner starts for each run. */
export const commandOf = ({ agent }: Pick<RunnerSettings, "agent">): string =>
  "command" in agent ? agent.command : agents[agent.preset].command;
