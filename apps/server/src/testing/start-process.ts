import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { commandHost, lodgedMain } from "./lodged-main.ts";

/** A `lodged` in its own process, which a test can kill. */
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

/** How a command ended, and what it printed. */
type End = { code: number | null; stdout: string; stderr: string };

const idle = new Set<ChildProcess>();

/** Runs a command of `lodged` to its end, in a process that the test's later commands reuse, so it cannot be killed. */
export async function runCommand(args: readonly string[], env: Record<string, string>): Promise<End> {
  const [host = startHost()] = idle;
  idle.delete(host);
  const { promise: ended, resolve: end } = Promise.withResolvers<End>();
  const onExit = (code: number | null) => end({ code, stdout: "", stderr: "It ended the process." });
  host.once("message", end).once("exit", onExit);
  host.send({ args, env: { ...process.env, ...env } });
  const answer = await ended;
  host.off("exit", onExit);
  if (host.connected) idle.add(host);
  return answer;
}

function startHost(): ChildProcess {
  const host = fork(commandHost(), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(host, "exit");
  after(async () => {
    idle.delete(host);
    host.disconnect();
    await exited;
  });
  return host;
}
