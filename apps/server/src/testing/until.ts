import { setTimeout as sleep } from "node:timers/promises";

const pauseMinMs = 5;
const pauseMaxMs = 25;

/** Waits until something holds, looking again every few milliseconds: of what takes long, a twentieth later at most. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - began;
    await sleep(Math.min(Math.max(waitedMs / 20, pauseMinMs), pauseMaxMs));
  }
}
