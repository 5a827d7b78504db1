import { setTimeout as sleep } from "node:timers/promises";

/** Takes steps, with as long a rest after each, and whether all of them were taken before a time was over. */
export async function allOf(steps: AsyncIterable<void>, endsAt: number): Promise<boolean> {
  let beganAt = performance.now();
  for await (const _ of steps) {
    if (performance.now() > endsAt) return false;
    await sleep(performance.now() - beganAt);
    beganAt = performance.now();
  }
  return true;
}
