import { readdir, readFile } from "node:fs/promises";
import { residentMegabytes } from "./proc.ts";

/** The processes that a process has started, and those that these have, without itself. */
export async function descendantsOf(root: number): Promise<number[]> {
  const entries = await readdir("/proc");
  const parents = new Map<number, number>();
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    const parent = Number(stat.split(") ").at(-1)?.split(" ")[1]);
    if (parent > 0) parents.set(Number(entry), parent);
  }
  const found: number[] = [];
  for (let level = [root]; level.length > 0; ) {
    level = [...parents].filter(([, parent]) => level.includes(parent)).map(([pid]) => pid);
    found.push(...level);
  }
  return found;
}

/** The resident memory and the open descriptors of a process and all that it has started. */
export async function measureTree(root: number): Promise<{ megabytes: number; descriptors: number }> {
  let megabytes = 0;
  let descriptors = 0;
  for (const pid of [root, ...(await descendantsOf(root))]) {
    megabytes += (await residentMegabytes(pid)) || 0; // NaN of one that has just ended
    descriptors += (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
  }
  return { megabytes, descriptors };
}
