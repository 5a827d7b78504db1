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
  /** Whether it works on repositories that are `file:///…`. */
  allowsFiles: boolean;
  allowedHosts: readonly string[];
  /** Networks that are not public, to which allowed names may resolve. */
  networks: Networks;
  forges: ReadonlyMap<string, Forge>;
  /** Whether pull requests are opened as drafts. */
  opensDrafts: boolean;
  /** Directories that the command may read beside /usr. */
  readable: readonly string[];
  /** Which variables hold tokens for which hosts of repositories. */
  gitTokens: readonly GitToken[];
  /** Names of variables that the command gets. */
  passedNames: readonly string[];
  limits: RunLimits;
  workDir: string;
  /** Where its token was read from, so that the command is never shown it; undefined where it was in no file. */
  tokenFile?: string | undefined;
  /** Whether it ends after one run, or when there is none. */
  isOnce: boolean;
};

/** The part of the runner's environment that its own programs get. */
export const hostOf = (env: Readonly<Record<string, string | undefined>>): HostEnvironment => ({
  PATH: env.PATH ?? "/usr/bin:/bin",
  HOME: env.HOME ?? "/",
  GIT_SSL_CAINFO: env.GIT_SSL_CAINFO,
});

/** The command that a runner starts for each run. */
export const commandOf = ({ agent }: Pick<RunnerSettings, "agent">): string =>
  "command" in agent ? agent.command : agents[agent.preset].command;
