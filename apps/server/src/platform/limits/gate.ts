import { setTimeout as sleep } from "node:timers/promises";
import { unavailable } from "../errors.ts";

/**
 * Lets so much work of a process run at once; what comes meanwhile waits its turn, first come, first served. Throws
 * `unavailable` where `waitingMax` wait already. With `rests` it is quiet after each piece of work for as long as that
 * took: whatever comes through the gate, half of the event loop is left to what does not.
 */
export class Gate {
  readonly #limits: { runningMax: number; waitingMax: number; rests?: boolean };
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: { runningMax: number; waitingMax: number; rests?: boolean }) {
    this.#limits = limits;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.runningMax) this.#running += 1;
    else await this.#turn();
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      if (this.#limits.rests) void sleep(performance.now() - startedAt).then(() => this.#leave());
      else this.#leave();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limits.waitingMax) throw unavailable();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
