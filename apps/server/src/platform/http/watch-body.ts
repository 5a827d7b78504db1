const looksPerWait = 5;
const bytesPerSecondMin = 1_000;

/** A watched body. Call `came` with received bytes, and `stop` at the end. */
export type WatchedBody = { came: (byteLength: number) => void; stop: () => void };

/**
 * Watches the arrival of a body. Calls `giveUp` once if nothing arrives for `idleMs`, or less than 1,000 bytes for each
 * second after the first `idleMs`. Time does not count while `isOursToMove` says that the body waits for the server.
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
