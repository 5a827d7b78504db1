import { availableParallelism, loadavg } from "node:os";

/** The factor by which something may take longer now than on a quiet machine: the number of processes for each core. */
export function slowness(): number {
  const [ofOneMinute = 1] = loadavg();
  return Math.max(1, ofOneMinute / availableParallelism());
}

/** The time after which a wait fails: two minutes on a quiet machine, four on a busy one. */
export const patienceMs = (): number => 120_000 * Math.min(2, slowness());
