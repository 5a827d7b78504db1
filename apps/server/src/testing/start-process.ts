import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { lodgedMain } from "./lodged-main.ts";

/** A `lodged` in a process of its own, which a test can kill. */
export type LodgedProcess = AsyncDisposable & {
  /** Sends a signal and resolves when the process has ended. */
  end: (signal: NodeJS.Signals) => Promise<void>;
};

/** Starts a command of `lodged` that runs until it is ended. */
export function startProcess(args: readonly string[], env: Record<string, string>): LodgedProcess {
  const child: ChildProcess = spawn(process.execPath, [lodgedMain(), ...args], {
    env: { ...process.env, PORT: "0", LODGE_LOG_LEVEL: "silent", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { end, [Symbol.asyncDispose]: () => end("SIGKILL") };
}

/** Runs a command of `lodged` to its end. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [lodgedMain(), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, stdout, stderr };
}
