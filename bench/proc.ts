import { readFile } from "node:fs/promises";

/** Seconds of CPU that a process has used so far; NaN where there is no /proc. */
export async function cpuSeconds(pid: number): Promise<number> {
  // Fields 14 and 15, in hundredths of a second, counted after the name in field 2, which may hold spaces.
  const fields = (await readProc(pid, "stat")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The most memory that a process has had resident since it started, in MB (1,000,000 bytes); NaN where there is no /proc. */
export async function peakMegabytes(pid: number): Promise<number> {
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readProc(pid, "status"))?.[1]) * 1024) / 1e6;
}

const readProc = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
