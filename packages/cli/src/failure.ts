/** The exit codes of the command (contract section 9). */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 3, mismatch: 4 } as const;

/** Ends a command with a message for people and an exit code for scripts. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: number;

  constructor(exitCode: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[exitCode];
  }
}
