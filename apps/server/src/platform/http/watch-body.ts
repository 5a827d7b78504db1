const looksPerWait = 5;
const bytesPerSecondMin = 1_000;

/** A watched body: its functions are called with received bytes, and to stop. */
export type WatchedBody = { came: (byteLength: number) => void; stop: () => void };

/**
 * Watches a body come. Calls `giveUp` once, when nothing has come for `idleMs`, or when less has come than 1,000 bytes for
 * each second beyond the first `idleMs`. Time in which `isOursToMove` says that the body waits for us does not count.
 */
export function watchBody(idleMs: number, isOursToMove: () => boolean, giveUp: () => void): WatchedBody {
  const everyMs = idleMs / looksPerWait;
  let bytes = 0;
  let silentMs = 0;
  let waitedMs = 0;
  const look = () => {
    if (isOursToMove()) {
      silentMs = 0;
      return;
    }
    silentMs += everyMs;
    waitedMs += everyMs;
    const bytesMin = ((waitedMs - idleMs) / 1000) * bytesPerSecondMin;
    if (silentMs <= idleMs && bytes >= bytesMin) return;
    clearInterval(timer);
    giveUp();
  };
  const timer = setInterval(look, everyMs);
  return {
    came: (byteLength) => {
      bytes += byteLength;
      silentMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}
