import { availableParallelism, loadavg } from "node:os";

/** How many times longer than on a quiet machine something may take now: how many processes there are for each core. */
export function slowness(): number {
  const [ofOneMinute = 1] = loadavg();
  return Math.max(1, ofOneMinute / availableParallelism());
}
