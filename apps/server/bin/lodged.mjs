#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=65536 node --max-semi-space-size=4 --v8-pool-size=1 --heap-growing-percent=50
// Starts lodged on the Node that its dependencies include, whatever Node is on the PATH. This file itself may run on
// Node 20.18, so it does not import newer APIs by name. The options keep some 100 MB of garbage and collector threads
// from staying in memory under load; npm start sets them too. The variable is for glibc: it returns the 64 KiB buffer
// of a body as soon as that is collected.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const pinned = `${root}node_modules/.bin/node`;
const wrapped = "LODGED_IS_WRAPPED";
const isNewEnough = Number.parseInt(process.versions.node, 10) >= 26;

if (!isNewEnough && !existsSync(pinned)) {
  console.error(
    `The dependencies of Lodge are not installed. Run, as the owner of ${root}:\n\n  cd ${root} && npm run build\n`,
  );
  process.exitCode = 1;
} else if (isNewEnough) {
  // Here rather than in main.ts, which would load the type stripper first: 22 MB that a warm cache saves.
  module.enableCompileCache?.();
  const { describeStaleness } = await import("../src/platform/installation.ts");
  const stale = await describeStaleness(root, process.argv[2] === "serve");
  if (stale) {
    console.error(stale);
    process.exitCode = 1;
  } else {
    process.argv[1] = main;
    endWithWrapper();
    await import(main);
  }
} else {
  const child = spawn(pinned, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, [wrapped]: "1" },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** If the wrapper is killed it cannot say so: the end of the channel to it is the signal to stop. */
function endWithWrapper() {
  if (process.env[wrapped] === undefined) return;
  delete process.env[wrapped];
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
