import { spawn } from "node:child_process";
import type { RepositoryScheme } from "@lodge/contract/repositories";
import { killNow } from "./run-processes.ts";
import type { HostEnvironment } from "./sandbox.ts";

const outputBytesMax = 64 * 1_048_576;
const errorLengthMax = 4_000;
const timeoutMs = 600_000;

/** A git command that failed, with its output as the message. */
export class GitError extends Error {
  override name = "GitError";
}

/** The environment of a git command of the runner. */
export type Git = {
  host: HostEnvironment;
  /** The runner's own repository, never the agent's; undefined while it is created. */
  directory: string | undefined;
  /** The only transport that git may use; undefined if it needs none. */
  scheme: RepositoryScheme | undefined;
  /** The token for clone and push, and the only host it is sent to. Only git and its child processes can see it. */
  token: { value: string; host: string } | undefined;
  signal: AbortSignal;
};

/**
 * The parameters of every git command of the runner. They disable hooks, all transports but the needed one, and the
 * user's and system's configuration.
 */
export const fixedParameters: readonly string[] = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"],
  // A token that was released to one host must not follow a redirect to another.
  ...["-c", "http.followRedirects=false"],
  ...[
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "fetch.recurseSubmodules=false",
  ],
];
/** A credential helper that only answers for one host over HTTPS. */
const credentialsFor = (host: string): string[] => [
  ...["-c", "credential.helper="],
  ...[
    "-c",
    `credential.https://${host}.helper=!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$LODGE_GIT_TOKEN"; }; f`,
  ],
];

/** Starts git on the runner's repository, in its own process group. */
function startGit({ host, directory, scheme, token }: Git, parameters: readonly string[]) {
  // One by one, since git allows some protocols unless they are named explicitly.
  const transports = ["https", "http", "ssh", "file", "git", "ext"].flatMap((name) => [
    "-c",
    `protocol.${name}.allow=${name === scheme ? "always" : "never"}`,
  ]);
  const credentials = token ? credentialsFor(token.host) : [];
  return spawn("git", [...fixedParameters, ...transports, ...credentials, ...parameters], {
    cwd: "/",
    env: {
      PATH: host.PATH,
      HOME: host.HOME,
      ...(host.GIT_SSL_CAINFO !== undefined && { GIT_SSL_CAINFO: host.GIT_SSL_CAINFO }),
      ...(directory !== undefined && { GIT_DIR: directory }),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_LFS_SKIP_SMUDGE: "1",
      LANG: "C.UTF-8",
      ...(token && { LODGE_GIT_TOKEN: token.value }),
    },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
}

/** Runs git on the runner's repository and returns its output. Throws a `GitError`, or the signal's abort reason. */
export async function git(
  options: Git,
  parameters: readonly string[],
  input: string | Buffer | AsyncIterable<Buffer> = "",
): Promise<Buffer> {
  const { signal } = options;
  signal.throwIfAborted();
  const child = startGit(options, parameters);
  // Includes its helpers: one that waits for a silent host would outlive git and keep the output open.
  const kill = () => {
    if (child.pid !== undefined) killNow(-child.pid);
  };
  const timeout = setTimeout(kill, timeoutMs);
  signal.addEventListener("abort", kill);
  const output: Buffer[] = [];
  let bytes = 0;
  let errors = "";
  child.stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > outputBytesMax) kill();
    else output.push(piece);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-errorLengthMax);
  });
  child.stdin.on("error", () => {}); // git exited before it read all input; its output says why
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  const written = (async () => {
    if (typeof input === "string" || Buffer.isBuffer(input)) child.stdin.end(input);
    else {
      for await (const piece of input) {
        if (!child.stdin.write(piece)) {
          await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), ended]);
        }
      }
      child.stdin.end();
    }
  })();
  written.catch(kill);
  const code = await ended
    .catch((error: Error) => {
      throw new GitError(error.message);
    })
    .finally(() => {
      clearTimeout(timeout);
      signal.removeEventListener("abort", kill);
    });
  signal.throwIfAborted();
  await written;
  if (code !== 0) throw new GitError(errors.trim() || `git ${parameters[0]} exited with code ${code}`);
  return Buffer.concat(output);
}
