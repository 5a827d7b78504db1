/** How a run ends (contract section 9). */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 3, mismatch: 4 } as const;

/** Why a command cannot go on, in words for a person, and the exit code that says so to a script. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: number;

  constructor(exitCode: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[exitCode];
  }
}
