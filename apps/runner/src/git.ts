import { spawn } from "node:child_process";
import type { RepositoryScheme } from "@lodge/contract/repositories";
import { killNow } from "./run-processes.ts";
import type { HostEnvironment } from "./sandbox.ts";

const outputBytesMax = 64 * 1_048_576;
const errorLengthMax = 4_000;
const timeoutMs = 600_000;

/** A git command that failed; the message is what it said. */
export class GitError extends Error {
  override name = "GitError";
}

/** How the runner's own git runs. */
export type Git = {
  host: HostEnvironment;
  /** A repository of the runner's own, never the agent's; undefined where one is made. */
  directory: string | undefined;
  /** The only transport that git may use, on this machine or to another one; undefined where it needs none. */
  scheme: RepositoryScheme | undefined;
  /** The token to clone and push with, and the only host that it goes to; git's own process and its children see it. */
  token: { value: string; host: string } | undefined;
  signal: AbortSignal;
};

/**
 * The parameters of every git command of the runner: no hooks, no transport but the one that a command needs. Settings
 * of users and systems stay out too.
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
/** The helper answers for one host over HTTPS alone. */
const credentialsFor = (host: string): string[] => [
  ...["-c", "credential.helper="],
  ...[
    "-c",
    `credential.https://${host}.helper=!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$LODGE_GIT_TOKEN"; }; f`,
  ],
];

/** Starts git on the runner's repository, in a process group of its own. */
function startGit({ host, directory, scheme, token }: Git, parameters: readonly string[]) {
  // One by one, since git allows some of them unless they are named themselves.
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

/** Runs git on the runner's repository and returns what it wrote. Throws a `GitError`, or what the signal was aborted with. */
export async function git(
  options: Git,
  parameters: readonly string[],
  input: string | Buffer | AsyncIterable<Buffer> = "",
): Promise<Buffer> {
  const { signal } = options;
  signal.throwIfAborted();
  const child = startGit(options, parameters);
  // With its helpers: one that waits for a host which says nothing would outlive it, and hold its output open.
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
  child.stdin.on("error", () => {}); // it ended before it had read all of it, and says why
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
  if (code !== 0) throw new GitError(errors.trim() || `git ${parameters[0]} ended with ${code}`);
  return Buffer.concat(output);
}
