import { spawn } from "node:child_process";
import { type HostEnvironment, killNow } from "./run-command.ts";

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
  /** The token to clone and push with, which only git's own process and its children see. */
  token: string | undefined;
  signal: AbortSignal;
};

/** What every git of the runner is told: no hooks, no protocols that run commands. Settings of users and systems stay out too. */
export const fixedParameters: readonly string[] = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"],
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
const credentials = [
  ...["-c", "credential.helper="],
  ...[
    "-c",
    'credential.helper=!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$LODGE_GIT_TOKEN"; }; f',
  ],
];

/** Runs git on the runner's repository and returns what it wrote. Throws a `GitError`, or what the signal was aborted with. */
export async function git(
  { host, directory, token, signal }: Git,
  parameters: readonly string[],
  input: string | Buffer | AsyncIterable<Buffer> = "",
): Promise<Buffer> {
  signal.throwIfAborted();
  const child = spawn("git", [...fixedParameters, ...(token === undefined ? [] : credentials), ...parameters], {
    cwd: "/",
    env: {
      PATH: host.PATH,
      HOME: host.HOME,
      ...(directory !== undefined && { GIT_DIR: directory }),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_LFS_SKIP_SMUDGE: "1",
      LANG: "C.UTF-8",
      ...(token !== undefined && { LODGE_GIT_TOKEN: token }),
    },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
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
