import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { EmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { freePort } from "../apps/server/src/testing/free-port.ts";

const readyTimeoutMs = 30_000;

/** A server in its own process, on a port of this machine. */
export type ChildServer = { port: number; pid: number; stop: () => Promise<void> };

/** Starts a module (path from the root) as a server with PORT set, and waits for its /readyz. */
export async function startChildServer(
  modulePath: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<ChildServer> {
  const port = await freePort();
  // Starts the server like npm start.
  const options = [
    "--max-semi-space-size=4",
    "--v8-pool-size=1",
    "--heap-growing-percent=50",
    fileURLToPath(new URL(`../${modulePath}`, import.meta.url)),
  ];
  const child = spawn(process.execPath, [...options, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: "65536", ...env, PORT: String(port) },
  });
  child.stdout.resume(); // reads the log, like a service manager
  const exited = once(child, "exit");
  await untilReady(child, port);
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function untilReady(child: ChildProcess, port: number) {
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await sleep(20);
  }
  child.kill();
  throw new Error("a server of the benchmark did not start");
}

/** DATABASE_URL for a database of an embedded PostgreSQL. */
export const databaseUrl = ({ user, host, port }: EmbeddedPostgres["address"], database: string): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
