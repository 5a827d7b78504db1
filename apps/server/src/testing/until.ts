import { setTimeout as sleep } from "node:timers/promises";
import { patienceMs } from "./slowness.ts";

const pauseMinMs = 5;
const pauseMaxMs = 25;

/**
 * Waits until something holds, looking again every few milliseconds: of what takes long, a twentieth later at most. Throws
 * an error with the line that waits when its patience ends.
 */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const never = new Error("This never became true.");
  const began = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - began;
    if (waitedMs > patienceMs()) throw never;
    await sleep(Math.min(Math.max(waitedMs / 20, pauseMinMs), pauseMaxMs));
  }
}

/** Repeats assertions about what a page shows until they hold. Throws the last failure when `until` gives up. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  let failure: unknown;
  const holds = () =>
    assertion().then(
      () => true,
      (error: unknown) => {
        failure = error;
        return false;
      },
    );
  await until(holds).catch(() => {
    throw failure;
  });
}
