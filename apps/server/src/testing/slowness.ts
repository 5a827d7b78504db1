import { availableParallelism, loadavg } from "node:os";

/** How many times longer than on a quiet machine something may take now: how many processes there are for each core. */
export function slowness(): number {
  const [ofOneMinute = 1] = loadavg();
  return Math.max(1, ofOneMinute / availableParallelism());
}

/** How long a test waits for what may never come: two minutes on a quiet machine, four on a busy one. */
export const patienceMs = (): number => 120_000 * Math.min(2, slowness());
