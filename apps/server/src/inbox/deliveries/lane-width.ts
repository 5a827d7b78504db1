/** Attempts at the same time that every lane may have, however many lanes there are. */
export const attemptsBase = 10;
/** The maximum width of a lane. */
const attemptsMax = 100;
/** The maximum number of attempts above their base for all lanes of a worker together may have above their base. */
const spareMax = 200;
/** A receiver that answers sooner gets 100 deliveries a second from the base alone. */
const slowMs = 100;
/** Half of what an attempt may take: a receiver that needs longer is not given more to do at once. */
const slowestMs = 7_500;
/** More at once must not make a receiver slower than this, beside what it took before. */
const slowerMax = 1.5;

/** The attempts of a worker above the base of its lanes. */
export type Spare = { taken: number };

/** A worker of which no lane has grown. */
export const makeSpare = (): Spare => ({ taken: 0 });

/** How one attempt went; times in milliseconds. `isBehind`: whether the lane was full and more deliveries are due. */
type Settled = { startedAt: number; ms: number; isDelivered: boolean; isBehind: boolean };

/** The number of simultaneous attempts that a lane may have at its subscriber. */
export type LaneWidth = {
  attempts: () => number;
  /** Learns from an attempt that has ended at `now`. */
  settle: (attempt: Settled, now: number) => void;
  /** Gives back what the lane has above its base. */
  end: () => void;
};

/**
 * A width that begins at the base. While deliveries are behind, each success at a slow receiver makes it one more, which
 * doubles it in the time of an attempt, unless having more at once has made the receiver slower. A failure halves it, once
 * for those that were under way together; below the base any success brings one back.
 */
export function openLaneWidth(spare: Spare): LaneWidth {
  let attempts = attemptsBase;
  /** The usual duration of an attempt at or below the base width; a moving mean. */
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
