/** The concurrent attempts that every lane may make, however many lanes there are. */
export const attemptsBase = 10;
/** The maximum width of a lane. */
const attemptsMax = 100;
/** The maximum number of attempts above the base, for all lanes of a worker together. */
const spareMax = 200;
/** A receiver that answers faster than this gets 100 deliveries a second with the base alone. */
const slowMs = 100;
/** Half of the timeout of an attempt. A lane does not grow while its receiver takes longer. */
const slowestMs = 7_500;
/** A lane grows only while attempts take at most this many times their usual duration. */
const slowerMax = 1.5;

/** The number of attempts above the base that a worker's lanes use. */
export type Spare = { taken: number };

/** The initial state, in which no lane has grown. */
export const makeSpare = (): Spare => ({ taken: 0 });

/** The result of one attempt; times in milliseconds. `isBehind`: the lane was full and more deliveries are due. */
type Settled = { startedAt: number; ms: number; isDelivered: boolean; isBehind: boolean };

/** The number of simultaneous attempts that a lane may have at its subscriber. */
export type LaneWidth = {
  attempts: () => number;
  /** Adjusts the width after an attempt that ended at `now`. */
  settle: (attempt: Settled, now: number) => void;
  /** Returns the lane's share above its base. */
  end: () => void;
};

/**
 * A lane width, which starts at the base. While the lane is behind, each success at a slow receiver adds one, which
 * doubles the width in the time of one attempt, unless the receiver has become slower. A failure halves it, once for
 * attempts that ran together. Below the base, every success adds one.
 */
export function openLaneWidth(spare: Spare): LaneWidth {
  let attempts = attemptsBase;
  /** The moving average of an attempt's duration at or below the base width. */
  let usualMs: number | undefined;
  let shrunkAt = Number.NEGATIVE_INFINITY;

  const above = () => Math.max(0, attempts - attemptsBase);
  const become = (next: number) => {
    spare.taken -= above();
    attempts = next;
    spare.taken += above();
  };
  const mayGrow = (ms: number) => {
    if (attempts < attemptsBase) return true;
    if (attempts >= attemptsMax || spare.taken >= spareMax || usualMs === undefined) return false;
    return ms >= slowMs && ms <= slowestMs && ms <= slowerMax * usualMs;
  };

  return {
    attempts: () => attempts,
    settle: ({ startedAt, ms, isDelivered, isBehind }, now) => {
      if (!isDelivered) {
        if (startedAt < shrunkAt) return;
        shrunkAt = now;
        become(Math.max(1, Math.floor(attempts / 2)));
        return;
      }
      if (attempts <= attemptsBase) usualMs = usualMs === undefined ? ms : (3 * usualMs + ms) / 4;
      if (isBehind && mayGrow(ms)) become(attempts + 1);
    },
    end: () => become(0),
  };
}
