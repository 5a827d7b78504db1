/** Spreads what a process does for many over time: all of it together takes at most so many bytes a second. */
export class Pace {
  readonly #bytesPerMs: number;
  #freeAt = 0;

  constructor(bytesPerSecondMax: number) {
    this.#bytesPerMs = bytesPerSecondMax / 1000;
  }

  /** Counts bytes that were dealt with, and returns how many milliseconds to wait before the next ones; 0 mostly. */
  count(byteLength: number): number {
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + byteLength / this.#bytesPerMs;
    const waitMs = this.#freeAt - now;
    return waitMs > burstMs ? waitMs : 0;
  }
}

/** Ahead of the pace by less than that nobody waits. */
const burstMs = 100;
