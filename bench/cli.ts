import { spawnSync } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleCli } from "../packages/cli/bundle.ts";
import { median } from "./statistics.ts";

// Measures the run time of `lodge`, compared with a Node that does nothing.
const runs = 30;
await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-bench-"));
const file = join(folder.path, "lodge.mjs");
await bundleCli(file);

const timeOf = (args: string[]): number => {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { env: {} });
  if (status !== 0) throw new Error(`${args.join(" ")} exited with ${status}`);
  return performance.now() - began;
};
const rows: Record<string, string[]> = {
  "node, doing nothing": ["-e", "0"],
  "lodge --version": [file, "--version"],
  "lodge ticket create --help": [file, "ticket", "create", "--help"],
};
const times = Object.fromEntries(Object.keys(rows).map((name) => [name, [] as number[]]));
for (let run = 0; run < runs; run++) for (const [name, args] of Object.entries(rows)) times[name]?.push(timeOf(args));
console.table(
  Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, { "median ms": Math.round(median(ms)) }])),
);
