/** Limits the total throughput of a process for one purpose, in bytes per second. */
export class Pace {
  readonly #bytesPerMs: number;
  #freeAt = 0;

  constructor(bytesPerSecondMax: number) {
    this.#bytesPerMs = bytesPerSecondMax / 1000;
  }

  /** Counts processed bytes, and returns the milliseconds to wait before the next ones; usually 0. */
  count(byteLength: number): number {
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + byteLength / this.#bytesPerMs;
    const waitMs = this.#freeAt - now;
    return waitMs > burstMs ? waitMs : 0;
  }
}

/** A lead of less than this causes no wait. */
const burstMs = 100;
