import { setTimeout as sleep } from "node:timers/promises";
import { patienceMs } from "./slowness.ts";

const pauseMinMs = 5;
const pauseMaxMs = 25;

/**
 * Waits until something is true, polling every 5 to 25 ms, less often the longer it takes. Throws an error with the
 * waiting line when its patience ends.
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

/** Repeats assertions about a page until they pass. Throws the last failure when `until` gives up. */
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
