/** A memory limit of the process for one purpose, shared by all senders. */
export class ByteBudget {
  readonly #bytesMax: number;
  #taken = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes bytes and returns true, or returns false if not enough are left. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#bytesMax) return false;
    this.#taken += bytes;
    return true;
  }

  /** Returns taken bytes to the budget. */
  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
