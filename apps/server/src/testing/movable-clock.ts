import type { Clock } from "../platform/clock.ts";

/** A running clock that a test can move forward. */
export function movableClock(): Clock & { move: (ms: number) => void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    move: (ms) => {
      offsetMs += ms;
    },
  };
}
