import { setTimeout as sleep } from "node:timers/promises";
import { unavailable } from "../errors.ts";

type Limits = { runningMax: number; waitingMax: number; waitingOfOneMax?: number; rests?: boolean };

/**
 * Limits the concurrent work of a process; further work waits. The keys take turns, and each key is first come, first
 * served. Throws `unavailable` if `waitingMax` wait already, or `waitingOfOneMax` of the same key. With `rests`, it
 * pauses after each piece of work for as long as that took, which leaves half of the event loop to other work.
 */
export class Gate {
  readonly #limits: Limits;
  /** The waiting work by key. The first key is next. */
  readonly #lines = new Map<string, (() => void)[]>();
  #waiting = 0;
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async run<T>(work: () => Promise<T>, key = ""): Promise<T> {
    if (this.#running < this.#limits.runningMax) this.#running += 1;
    else await this.#turn(key);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      if (this.#limits.rests) void sleep(performance.now() - startedAt).then(() => this.#leave());
      else this.#leave();
    }
  }

  #turn(key: string): Promise<void> {
    const { waitingMax, waitingOfOneMax = waitingMax } = this.#limits;
    const line = this.#lines.get(key) ?? [];
    if (this.#waiting >= waitingMax || line.length >= waitingOfOneMax) throw unavailable();
    this.#lines.set(key, line);
    this.#waiting += 1;
    return new Promise((resolve) => line.push(resolve));
  }

  #leave(): void {
    for (const [key, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(key);
      if (line.length > 0) this.#lines.set(key, line); // the key goes to the end of the line
      this.#waiting -= 1;
      next?.();
      return;
    }
    this.#running -= 1;
  }
}
