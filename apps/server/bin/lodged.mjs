#!/usr/bin/env node
// Starts lodged on the Node that its dependencies bring, whatever Node is on the PATH.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const pinned = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

if (Number.parseInt(process.versions.node, 10) >= 26 || !existsSync(pinned)) {
  process.argv[1] = main;
  await import(main);
} else {
  const child = spawn(pinned, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}
