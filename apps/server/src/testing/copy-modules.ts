import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Copies the node_modules of a checkout into a folder, by links where that is possible. The caches stay: tests that run
 * beside this one write there, and a file that vanishes on the way is a failure of `cp`.
 */
export async function copyModules(checkout: string, folder: string): Promise<void> {
  const from = join(checkout, "node_modules");
  const to = join(folder, "node_modules");
  await mkdir(to);
  const entries = (await readdir(from)).filter((name) => name !== ".cache");
  const copied = ["-al", "-a"].some((how) => spawnSync("cp", [how, ...entries, to], { cwd: from }).status === 0);
  assert.ok(copied);
}
