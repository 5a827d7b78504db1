import { availableParallelism, loadavg } from "node:os";

/** The factor by which something may take longer now than on an idle machine: the number of processes per core. */
export function slowness(): number {
  const [ofOneMinute = 1] = loadavg();
  return Math.max(1, ofOneMinute / availableParallelism());
}

/** The time after which a wait fails: two minutes on an idle machine, four on a busy one. */
export const patienceMs = (): number => 120_000 * Math.min(2, slowness());
