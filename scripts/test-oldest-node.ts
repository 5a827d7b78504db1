import { spawnSync } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Tests the built files of @lodge/sdk and lodge on the oldest supported Node, which it fetches each time, since its 90
// MB are too much for every checkout.
const name = `node-${process.platform}-${process.arch}`;
const version = "18.20.8";
const tests = [
  "packages/cli/test/lodge.test.ts",
  "packages/cli/test/forward-events.test.ts",
  "packages/sdk/test/node.test.ts",
];

await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-oldest-node-"));
const run = (args: string[], env: Record<string, string> = {}) => {
  const { status } = spawnSync("npm", args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
};
if (run(["install", "--prefix", folder.path, "--no-save", "--no-audit", "--no-fund", `${name}@${version}`])) {
  run(["test", "--", ...tests], { OLDEST_NODE: join(folder.path, "node_modules", name, "bin/node") });
}
