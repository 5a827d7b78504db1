import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Copies the node_modules of a checkout into a folder, as hard links if possible. Leaves out the caches: concurrent
 * tests write there, and `cp` fails on a file that disappears.
 */
export async function copyModules(checkout: string, folder: string): Promise<void> {
  const from = join(checkout, "node_modules");
  const to = join(folder, "node_modules");
  await mkdir(to);
  const entries = (await readdir(from)).filter((name) => name !== ".cache");
  const copied = ["-al", "-a"].some((how) => spawnSync("cp", [how, ...entries, to], { cwd: from }).status === 0);
  assert.ok(copied);
}
