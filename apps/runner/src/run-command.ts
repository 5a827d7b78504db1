import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { endOf, firstOf, killRun, usageOf } from "./run-processes.ts";
import { type Command, startCommand } from "./sandbox.ts";

/** The end of a command: its exit code, or why it was stopped. */
export type CommandEnd =
  | { kind: "exited"; code: number }
  | { kind: "ended"; why: "timed_out" | "too_much_memory" | "too_many_processes" | "aborted" }
  | { kind: "not_started"; message: string };

const watchMs = 500;
/** The most bytes to buffer for a command that does not read its input. Later lines are dropped. */
const inputBytesMax = 16 * 1_048_576;
/** The time that a command has to exit after the conversation is over. */
const exitTimeoutMs = 5_000;

type Ended = Extract<CommandEnd, { kind: "ended" }>["why"];

/**
 * Runs a command until it exits, and ends all of its processes, including detached ones. They share a process
 * namespace, which ends with its first process. Without a sandbox, they are recognised by the inherited environment.
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { isSandboxed, onOutput, signal } = command;
  if (signal.aborted) return { kind: "ended", why: "aborted" };
  const { child, status } = startCommand(command);
  let said = "";
  let why: Ended | undefined;
  let isDismissed = false;
  let isKilled = false;
  const killAll = () => {
    isKilled = true;
    killRun(child, command, status());
  };
  const statusPipe = child.stdio[4] as Readable | undefined;
  statusPipe?.on("data", () => {
    if (isKilled) killAll(); // bubblewrap may report the pid only now
  });
  const end = (reason: Ended) => {
    why ??= reason;
    killAll();
  };
  const onAbort = () => end("aborted");
  signal.addEventListener("abort", onAbort);
  const unlimit = holdToLimits(child, command, end);
  const hangUp = speakTo(child, command, () => {
    isDismissed = true;
    killAll();
  });
  child.stdout?.on("data", (piece: Buffer) => onOutput(piece, false));
  child.stderr?.on("data", (piece: Buffer) => {
    said = (said + piece.toString("latin1")).slice(-500);
    onOutput(piece, true);
  });
  try {
    return await new Promise<CommandEnd>((resolve) => {
      child.on("error", (error) => resolve({ kind: "not_started", message: error.message }));
      child.on("exit", killAll); // remaining processes, which may hold the pipes open
      child.on("close", (code) => {
        if (why) resolve({ kind: "ended", why });
        else if (isDismissed) resolve({ kind: "exited", code: 0 });
        else if (isSandboxed && !status().includes("exit-code")) resolve({ kind: "not_started", message: said });
        else resolve({ kind: "exited", code: code ?? 1 });
      });
    });
  } finally {
    await endOf(firstOf(status()));
    unlimit();
    hangUp();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Stops a command that exceeds its limits. Waits for people do not count. Returns a function that ends the checks. */
function holdToLimits(child: ChildProcess, command: Command, end: (why: Ended) => void): () => void {
  const { limits, waitedMs } = command;
  let timeout: NodeJS.Timeout | undefined;
  const letRun = (ms: number, waitedBefore: number) => {
    timeout = setTimeout(() => {
      const waited = waitedMs();
      if (waited > waitedBefore) letRun(waited - waitedBefore, waited);
      else end("timed_out");
    }, ms);
  };
  letRun(limits.timeoutMs, 0);
  let isLooking = false; // a check reads all processes of the machine, so it may take longer than the interval
  const watch = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    usageOf(child, command)
      .then(({ memoryBytes, processes }) => {
        if (memoryBytes > limits.memoryBytesMax) end("too_much_memory");
        else if (processes > limits.processesMax) end("too_many_processes");
      })
      .catch(() => {}) // it has ended meanwhile
      .finally(() => {
        isLooking = false;
      });
  }, watchMs);
  return () => {
    clearTimeout(timeout);
    clearInterval(watch);
  };
}

/** Connects a conversation to a command; `dismiss` stops a command that does not exit after it. Returns a cleanup. */
function speakTo(child: ChildProcess, { converse }: Command, dismiss: () => void): () => void {
  let exitTimer: NodeJS.Timeout | undefined;
  child.stdin?.on("error", () => {}); // the command exited before it read all input
  converse?.(
    (line) => {
      if (child.stdin && child.stdin.writableLength <= inputBytesMax) child.stdin.write(line);
    },
    () => {
      child.stdin?.end();
      exitTimer = setTimeout(dismiss, exitTimeoutMs);
    },
  );
  return () => clearTimeout(exitTimer);
}
