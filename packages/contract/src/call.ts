import type { Change } from "./dashboard/change.ts";
import type { ErrorCode, Problem } from "./errors.ts";
import type { AnswerOf, InputOf, Operation } from "./operation.ts";

/** The parts of an operation that a client needs to call it, without its schemas. An `Operation` is also a `Call`. */
export type Call<Op extends Operation = Operation> = Pick<Operation, "id" | "method" | "path" | "staleAfter"> & {
  /** Only for the type of the operation; never has a value. */
  readonly operation?: Op;
};

/** Makes a `Call`. */
export const call = <Op extends Operation>(
  id: Op["id"],
  method: Op["method"],
  path: Op["path"],
  staleAfter?: readonly Change["kind"][],
): Call<Op> => ({ id, method, path, ...(staleAfter && { staleAfter }) });

/** The error of a failed call: the server's error code, or `unreachable` if there was no readable response. */
export class CallError extends Error {
  override name = "CallError";
  readonly code: ErrorCode | "unreachable";
  /** The status of the response. 0 if there was none. */
  readonly status: number;
  /** With `invalid_input`: the values to fix. */
  readonly details: Problem[];
  /** When to retry, if the response says so. */
  readonly retryAfterSeconds: number | undefined;
  /** With `internal_error`: the id to send to the operator. */
  readonly requestId: string | undefined;
  /** With `insufficient_scope`: the permission that the token lacks. */
  readonly required: string | undefined;
  /** The URL of the error code's documentation. */
  readonly docs: string | undefined;

  constructor(
    code: ErrorCode | "unreachable",
    message: string,
    about: {
      status?: number;
      details?: Problem[];
      retryAfterSeconds?: number;
      requestId?: string;
      required?: string;
      docs?: string;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = about.status ?? 0;
    this.details = about.details ?? [];
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.requestId = about.requestId;
    this.required = about.required;
    this.docs = about.docs;
  }
}

type OperationOf<C> = C extends Operation ? C : C extends Call<infer Op> ? Op : never;

/** The input of a call. Undefined is allowed if no field is required. */
export type CallInput<C extends Call> = InputOf<OperationOf<C>>;
/** The response of a successful call. */
export type CallAnswer<C extends Call> = AnswerOf<OperationOf<C>>;
/** The input of a call as a function's last parameter, optional if no field is required. */
export type InputArgument<C extends Call> =
  Record<never, never> extends CallInput<C> ? [input?: CallInput<C>] : [input: CallInput<C>];

/** Calls an operation; throws a `CallError` for anything but success. */
export type Caller = <C extends Call>(operation: C, ...input: InputArgument<C>) => Promise<CallAnswer<C>>;

/** The error of a call without a response. Returns a `CallError` unchanged. */
export const unanswered = (error: Error): CallError =>
  error instanceof CallError ? error : new CallError("unreachable", `The service cannot be reached: ${error.message}`);

/** Why a request had no response. The message `fetch failed` does not say why, but its cause does. */
export function reasonOf(error: Error): string {
  const { cause } = error as { cause?: Error & { code?: string } };
  return cause?.message || cause?.code || error.message;
}

type AnyInput = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
};

/**
 * Creates a caller of the operations at `baseUrl`, by default the page's own origin. It sends `headers` with every request.
 * `fetch` replaces the platform's, and may throw a `CallError`.
 */
export const createCaller =
  ({
    baseUrl = "",
    headers = {},
    fetch = globalThis.fetch,
  }: {
    baseUrl?: string;
    headers?: Record<string, string>;
    fetch?: typeof globalThis.fetch;
  } = {}): Caller =>
  async ({ method, path }, ...[input]) => {
    const { params = {}, query = {}, headers: own, body } = (input ?? {}) as AnyInput;
    const response = await fetch(`${baseUrl}${addressOf(path, params, query)}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...own,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw unanswered(error);
    });
    if (!response.ok) throw await readError(response);
    if (response.status === 204) return undefined as never;
    return (await response.json().catch((error: Error) => {
      throw unanswered(error);
    })) as never;
  };

/** The path of an operation with its parameters and query filled in. Undefined values are left out. */
export function addressOf(path: string, params: Record<string, string>, query: Record<string, unknown>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length > 0 ? `${filled}?${new URLSearchParams(given)}` : filled;
}

/** The error of an unsuccessful response. */
export async function readError(response: Response): Promise<CallError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as
    | { error?: ErrorCode; message?: string; details?: Problem[]; requestId?: string; required?: string; docs?: string }
    | undefined;
  if (!body?.error || !body.message) {
    return new CallError("unreachable", `The service sent an invalid response with status ${status}. Check its URL.`, {
      status,
    });
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new CallError(body.error, body.message, {
    status,
    ...(body.details && { details: body.details }),
    ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
    ...(body.requestId !== undefined && { requestId: body.requestId }),
    ...(body.required !== undefined && { required: body.required }),
    ...(body.docs !== undefined && { docs: body.docs }),
  });
}
