/** The parsed command line. */
export type Asked = {
  url: string;
  tokenFile: string;
  command?: string;
  agent?: "claude" | "codex" | "gemini" | "opencode" | "acp";
  concurrency: number;
  sandbox: boolean;
  allowFileRepositories: boolean;
  allowHost: string[];
  allowNetwork: string[];
  gitToken: string[];
  forge: string[];
  draft: boolean;
  readable: string[];
  passEnv: string[];
  timeout: number;
  memory: number;
  processes: number;
  workDir: string;
  once: boolean;
  check: boolean;
};
