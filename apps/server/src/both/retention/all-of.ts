import { setTimeout as sleep } from "node:timers/promises";

/** Runs steps, pausing after each for as long as it took. Returns whether all of them ran before the time was over. */
export async function allOf(steps: AsyncIterable<void>, endsAt: number): Promise<boolean> {
  let beganAt = performance.now();
  for await (const _ of steps) {
    if (performance.now() > endsAt) return false;
    await sleep(performance.now() - beganAt);
    beganAt = performance.now();
  }
  return true;
}
