import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { bundleCli } from "../bundle.ts";

/** The Node that runs the command: this one, or an older one that `OLDEST_NODE` names. */
const nodeOfTests = process.env.OLDEST_NODE ?? process.execPath;

/** The result of a run of the command. */
export type Ended = { exitCode: number | null; stdout: string; stderr: string };

const folder = await mkdtemp(join(tmpdir(), "lodge-cli-"));
// Not a test hook: test files in one process share this module, and the hook would run after the first file only.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** The published command, one file. */
export const lodgeFile = join(folder, "lodge.mjs");
await bundleCli(lodgeFile);

/** A compile cache for faster tests; not an environment variable of the command. */
const compiled = { NODE_COMPILE_CACHE: join(folder, "compiled") };

/** Runs the command with `stdin` and only `env` as its environment. */
export async function runLodge(args: string[], env: Record<string, string> = {}, stdin = ""): Promise<Ended> {
  const child = spawn(nodeOfTests, [lodgeFile, ...args], { env: { ...compiled, ...env }, cwd: folder });
  child.stdin.on("error", () => {}); // the command may not read stdin
  child.stdin.end(stdin);
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { exitCode, stdout, stderr };
}

/** A run of the command that does not end by itself. */
export type Running = AsyncDisposable & { stdout: string[]; stderr: string[] };

/** Starts the command with only `env` as its environment; `stdout` and `stderr` grow line by line. */
export function startLodge(args: string[], env: Record<string, string>): Running {
  const child = spawn(nodeOfTests, [lodgeFile, ...args], { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const linesOf = (stream: Readable) => {
    const lines: string[] = [];
    createInterface({ input: stream }).on("line", (line) => lines.push(line));
    return lines;
  };
  return {
    stdout: linesOf(child.stdout),
    stderr: linesOf(child.stderr),
    [Symbol.asyncDispose]: () => end(child, exited),
  };
}

async function end(child: ChildProcess, exited: Promise<unknown>) {
  child.kill();
  await exited;
}
