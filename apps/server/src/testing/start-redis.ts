import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { untilListening } from "./until-listening.ts";

/** A real Redis without persistence. */
export type TestRedis = AsyncDisposable & {
  port: number;
  /** Stops responding, with connections left open, until `resume`. */
  pause: () => void;
  resume: () => void;
};

/** Starts Debian's redis-server on a given or free port, with additional options. */
export async function startRedis(port?: number, options: string[] = []): Promise<TestRedis> {
  const own = port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), "lodge-redis-"));
  const child = spawn("redis-server", ["--port", `${own}`, "--bind", "127.0.0.1", "--save", "", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
  });
  const exited = once(child, "exit");
  await untilListening(child, own);
  return {
    port: own,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
