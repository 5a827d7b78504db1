import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";

/** The CPU seconds that a process has used so far; NaN without /proc. */
export async function cpuSeconds(pid: number): Promise<number> {
  // Fields 14 and 15, in hundredths of a second, counted after the name in field 2, which may hold spaces.
  const fields = (await readProc(pid, "stat")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The peak resident memory of a process, in MB (1,000,000 bytes); NaN without /proc. */
export async function peakMegabytes(pid: number): Promise<number> {
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readProc(pid, "status"))?.[1]) * 1024) / 1e6;
}

/** The current resident memory of a process, in MB; NaN without /proc. */
export async function residentMegabytes(pid: number): Promise<number> {
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readProc(pid, "status"))?.[1]) * 1024) / 1e6;
}

/** The descendants of a process. */
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

/** The resident memory and open descriptors of a process and its descendants. */
export async function measureTree(root: number): Promise<{ megabytes: number; descriptors: number }> {
  let megabytes = 0;
  let descriptors = 0;
  for (const pid of [root, ...(await descendantsOf(root))]) {
    megabytes += (await residentMegabytes(pid)) || 0; // NaN if the process has just ended
    descriptors += (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
  }
  return { megabytes, descriptors };
}

/** The CPU seconds of each open connection of a database, by process; NaN without /proc. */
export async function databaseCpu(observer: pg.Pool, database: string): Promise<Map<number, number>> {
  const found = await observer.query<{ pid: number }>("select pid from pg_stat_activity where datname = $1", [
    database,
  ]);
  return new Map(await Promise.all(found.rows.map(async ({ pid }) => [pid, await cpuSeconds(pid)] as const)));
}

/** The CPU seconds between two readings, without connections that were closed in between. */
export function cpuBetween(before: Map<number, number>, after: Map<number, number>): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}

const readProc = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
