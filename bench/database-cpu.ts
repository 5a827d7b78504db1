import type pg from "pg";
import { cpuSeconds } from "./proc.ts";

/** Seconds of CPU that each open connection of a database has used so far, by process; NaN where there is no /proc. */
export async function databaseCpu(observer: pg.Pool, database: string): Promise<Map<number, number>> {
  const found = await observer.query<{ pid: number }>("select pid from pg_stat_activity where datname = $1", [
    database,
  ]);
  return new Map(await Promise.all(found.rows.map(async ({ pid }) => [pid, await cpuSeconds(pid)] as const)));
}

/** Seconds of CPU used between two readings, but for connections that were closed in between. */
export function cpuBetween(before: Map<number, number>, after: Map<number, number>): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}
