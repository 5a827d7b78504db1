import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";

const folder = new URL("./results/", import.meta.url);

/** Writes `bench/results/<name>.json` with the results, the date and the machine. */
export async function writeResults(name: string, results: Record<string, unknown>): Promise<void> {
  const machine = { cores: availableParallelism(), node: process.versions.node, platform: process.platform };
  await mkdir(folder, { recursive: true });
  await writeFile(
    new URL(`${name}.json`, folder),
    `${JSON.stringify({ benchmark: name, date: new Date().toISOString().slice(0, 10), machine, ...results }, null, 2)}\n`,
  );
}

/** Prints a table with right-aligned numbers. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [headings, ...rows]) {
    console.log(
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
    );
  }
}
