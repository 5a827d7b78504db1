import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { endOf, firstOf, killRun, usageOf } from "./run-processes.ts";
import { type Command, startCommand } from "./sandbox.ts";

/** The end of a command: its exit code, or why it was ended. */
export type CommandEnd =
  | { kind: "exited"; code: number }
  | { kind: "ended"; why: "timed_out" | "too_much_memory" | "too_many_processes" | "aborted" }
  | { kind: "not_started"; message: string };

const watchMs = 500;
/** The bytes that are kept for a command that does not read; later ones are not sent to it. */
const unheardBytesMax = 16 * 1_048_576;
/** The time that a command gets to end after its last output. */
const farewellMs = 5_000;

type Ended = Extract<CommandEnd, { kind: "ended" }>["why"];

/**
 * Runs a command until it ends, with all of its processes, detached ones too: they are in a process namespace, which ends
 * with its first. Without a sandbox, those that have inherited its environment.
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
  const told = child.stdio[4] as Readable | undefined;
  told?.on("data", () => {
    if (isKilled) killAll(); // whom to kill may be told only now
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
      child.on("exit", killAll); // what it has left behind, which may hold the pipes open
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

/** Ends a command that takes too long, not counting its waits for people, or uses too much. Returns what stops looking. */
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
  let isLooking = false; // it reads of all processes of the machine, which takes longer the more there are
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

/** Lets a conversation write to a command; `dismiss` ends one that stays once all is said. Returns what waits no longer. */
function speakTo(child: ChildProcess, { converse }: Command, dismiss: () => void): () => void {
  let farewell: NodeJS.Timeout | undefined;
  child.stdin?.on("error", () => {}); // it ended before it had heard all
  converse?.(
    (line) => {
      if (child.stdin && child.stdin.writableLength <= unheardBytesMax) child.stdin.write(line);
    },
    () => {
      child.stdin?.end();
      farewell = setTimeout(dismiss, farewellMs);
    },
  );
  return () => clearTimeout(farewell);
}
