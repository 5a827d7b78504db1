import type { ChildProcess } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "./sandbox.ts";

/**
 * Kills all processes of a run. In a sandbox, the kernel ends them with the first one. Without a sandbox, processes
 * outside the group of the first one are found by their environment. Does nothing until bubblewrap has reported the
 * first process, which would outlive bubblewrap: the caller then calls this again.
 */
export function killRun(child: ChildProcess, command: Command, status: string) {
  if (child.pid === undefined) return;
  if (!command.isSandboxed) {
    killNow(-child.pid);
    void killDetached(child, command);
    return;
  }
  const first = firstOf(status);
  if (first === undefined) return;
  killNow(Number(first));
  killNow(child.pid);
}

/** The pid of the first process of a sandbox in bubblewrap's status output. */
export const firstOf = (status: string): string | undefined => /"child-pid":\s*(\d+)/.exec(status)?.[1];

/** Waits for the end of a sandbox's first process. The kernel ends all others before it. */
export async function endOf(pid: string | undefined) {
  const isOver = async () =>
    /^(?:[ZX]|$)/.test((await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ").at(-1) ?? "");
  while (pid !== undefined && !(await isOver())) await sleep(5);
}

/** Kills a process, or with a negative number a process group, if it exists. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has exited
  }
}

/** Repeats until there is none left, since a killed process may have started another. */
async function killDetached(child: ChildProcess, command: Command) {
  for (let found = await processesOf(child, command); found.length > 0; found = await processesOf(child, command)) {
    for (const pid of found) killNow(pid);
    await sleep(10);
  }
}

/** The processes of a run: those in its process namespace or, without a sandbox, with its environment. */
async function processesOf({ pid }: ChildProcess, { isSandboxed, env }: Command): Promise<number[]> {
  // bubblewrap's own child is the first process of the namespace.
  const children = isSandboxed ? await readFile(`/proc/${pid}/task/${pid}/children`, "utf8") : "";
  const namespace = isSandboxed ? await readlink(`/proc/${children.trim().split(" ")[0]}/ns/pid`) : "";
  const isOurs = async (other: string) =>
    isSandboxed
      ? (await readlink(`/proc/${other}/ns/pid`).catch(() => "")) === namespace
      : `\0${await readFile(`/proc/${other}/environ`, "latin1").catch(() => "")}`.includes(
          `\0LODGE_RUN_ID=${env.LODGE_RUN_ID}\0`,
        );
  const found: number[] = [];
  for (const name of await readdir("/proc")) if (/^\d+$/.test(name) && (await isOurs(name))) found.push(Number(name));
  return found;
}

/** The resource usage of the processes of a run. */
export async function usageOf(child: ChildProcess, command: Command) {
  const found = await processesOf(child, command);
  let memoryBytes = 0;
  for (const pid of found) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    memoryBytes += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  }
  return { memoryBytes, processes: found.length };
}
