/** The memory that a process may hold for one purpose, whoever sent them. */
export class ByteBudget {
  readonly #bytesMax: number;
  #taken = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes so many bytes and returns true, or takes nothing and returns false where that many are not left. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#bytesMax) return false;
    this.#taken += bytes;
    return true;
  }

  /** Gives back bytes that were taken. */
  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
