import { setTimeout as sleep } from "node:timers/promises";
import { unavailable } from "../errors.ts";

type Limits = { runningMax: number; waitingMax: number; waitingOfOneMax?: number; rests?: boolean };

/**
 * Lets so much work of a process run at once; what comes meanwhile waits its turn. Of each key first come, first served, and
 * the keys take turns. Throws `unavailable` where `waitingMax` wait already, or `waitingOfOneMax` of the same key. With
 * `rests` it is quiet after each piece of work for as long as that took: whatever comes through the gate, half of the event
 * loop is left to what does not.
 */
export class Gate {
  readonly #limits: Limits;
  /** By key; whose turn is next first. */
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
      if (line.length > 0) this.#lines.set(key, line); // behind the others
      this.#waiting -= 1;
      next?.();
      return;
    }
    this.#running -= 1;
  }
}
