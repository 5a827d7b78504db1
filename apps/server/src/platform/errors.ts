import type { ErrorCode, Problem } from "@lodge/contract/errors";

/** An error for the caller, with a code and its fields. Any other thrown error is a bug. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: ErrorCode;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    super(code);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** The refusal of invalid input: `details` lists each invalid value (contract section 2, step 6). */
export const invalidInput = (details: Problem[]) => new Refusal("invalid_input", { details });

/**
 * The refusal of a valid request that cannot be served now: a limit of the process is reached, a disk is full, or the
 * database is unreachable. The default `Retry-After` of 5 s is enough for a database to restart.
 */
export const unavailable = (retryAfterSeconds = 5) =>
  new Refusal("unavailable", {}, { "retry-after": `${retryAfterSeconds}` });

/** An error that the operator can fix. The message is printed without a stack, and the command exits with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** The message of an error. For a host name with several addresses, it contains the message for each. */
export const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join("; ") : (error as Error).message;
