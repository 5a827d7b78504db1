import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 5;

/** Waits until something holds, looking again every few milliseconds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(pauseMs);
}
