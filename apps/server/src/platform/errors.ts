import type { ErrorCode, Problem } from "@lodge/contract/errors";

/** A refusal that the caller can act on: its code and the fields that go with it. Anything else thrown is a bug. */
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

/** An input that does not fit: `details` names each value at fault (contract section 2, step 6). */
export const invalidInput = (details: Problem[]) => new Refusal("invalid_input", { details });

/**
 * The refusal of a valid request that cannot be served now: a budget of the process is used up, a disk is full, the
 * database is away. To be tried again after 5 s, long enough for a database to restart and short enough that nobody
 * minds, unless said otherwise.
 */
export const unavailable = (retryAfterSeconds = 5) =>
  new Refusal("unavailable", {}, { "retry-after": `${retryAfterSeconds}` });

/** A mistake of the operator's: printed as it is, without a stack, and the command exits with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** The message of an error; a failed connection to a name with several addresses says it for each of them. */
export const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join("; ") : (error as Error).message;
