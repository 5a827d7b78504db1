/**
 * An error of the SDK. `code` is the server's error code (interface section 7), or `unreachable`; `closed` after
 * `close()`; `left_out` by `beforeSend`; `dropped` because the queue was full or the report too old.
 */
export class LodgeError extends Error {
  override name = "LodgeError";
  readonly code: string;
  /** The server's response, if there was one. */
  readonly answer: { status: number; body: Record<string, unknown>; retryAfter: string | null } | undefined;

  constructor(code: string, message: string = code, answer?: LodgeError["answer"]) {
    super(message);
    this.code = code;
    this.answer = answer;
  }
}
