import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { lodgedMain } from "./lodged-main.ts";

/** A `lodged serve` in its own process. */
export type Child = AsyncDisposable & {
  url: string;
  /** Kills it with -9; returns when it has ended. */
  kill: () => Promise<void>;
  /** Asks it to stop, and returns its exit code. */
  stop: () => Promise<number | null>;
  /** Its resident memory in bytes. */
  residentBytes: () => Promise<number>;
  /** Its open file descriptors. */
  openFiles: () => Promise<string[]>;
};

/** Starts `lodged serve` with these settings on a free port; returns when it is ready. */
export async function startChild(env: Record<string, string>): Promise<Child> {
  const child = spawn(process.execPath, [lodgedMain(), "serve"], {
    env: { ...process.env, PORT: "0", LODGE_LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.includes('"ready"')) return;
      resolve((JSON.parse(line) as { address: string }).address);
    });
    void exited.then(([code]) => reject(new Error(`lodged serve ended with ${code}`)));
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    const [code] = await exited;
    return code;
  };
  return {
    url,
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    residentBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    openFiles: () => readdir(`/proc/${child.pid}/fd`),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
    },
  };
}
