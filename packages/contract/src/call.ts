import type { Change } from "./dashboard/change.ts";
import type { ErrorCode, Problem } from "./errors.ts";
import type { AnswerOf, InputOf, Operation } from "./operation.ts";

/** How to call an operation: what a client needs of its description, without the schemas. An `Operation` is one as well. */
export type Call<Op extends Operation = Operation> = Pick<Operation, "id" | "method" | "path" | "staleAfter"> & {
  /** The type of the operation; there is no such value. */
  readonly operation?: Op;
};

/** Makes a `Call`. */
export const call = <Op extends Operation>(
  id: Op["id"],
  method: Op["method"],
  path: Op["path"],
  staleAfter?: readonly Change["kind"][],
): Call<Op> => ({ id, method, path, ...(staleAfter && { staleAfter }) });

/** Why a call failed: the code of the server's refusal, or `unreachable` where there was no answer that could be read. */
export class CallError extends Error {
  override name = "CallError";
  readonly code: ErrorCode | "unreachable";
  /** The status of the answer; 0 without an answer. */
  readonly status: number;
  /** With `invalid_input`: the values to fix. */
  readonly details: Problem[];
  /** When to try again, where the answer says it. */
  readonly retryAfterSeconds: number | undefined;
  /** With `internal_error`: what to tell the operator. */
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

/** The input of a call; it may be left out where all of it may. */
export type CallInput<C extends Call> = InputOf<OperationOf<C>>;
/** The answer of a successful call. */
export type CallAnswer<C extends Call> = AnswerOf<OperationOf<C>>;
/** The input of a call as the last of a function's parameters. */
export type InputArgument<C extends Call> =
  Record<never, never> extends CallInput<C> ? [input?: CallInput<C>] : [input: CallInput<C>];

/** Calls an operation; throws a `CallError` for anything but success. */
export type Caller = <C extends Call>(operation: C, ...input: InputArgument<C>) => Promise<CallAnswer<C>>;

/** The error of a call whose request had no answer; one that is a `CallError` stays as it is. */
export const unanswered = (error: Error): CallError =>
  error instanceof CallError ? error : new CallError("unreachable", `The service cannot be reached: ${error.message}`);

/** Why a request had no answer: `fetch failed` says nothing; its cause does. */
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
 * A caller of the operations at `baseUrl` (none: the page's own origin). `headers` go along with every request; `fetch` may
 * be another than the platform's, and may throw a `CallError` of its own.
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

/** The path of an operation with its parameters filled in, and its query; what is undefined is left out. */
export function addressOf(path: string, params: Record<string, string>, query: Record<string, unknown>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length > 0 ? `${filled}?${new URLSearchParams(given)}` : filled;
}

/** The error of an answer that is no success. */
export async function readError(response: Response): Promise<CallError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as
    | { error?: ErrorCode; message?: string; details?: Problem[]; requestId?: string; required?: string; docs?: string }
    | undefined;
  if (!body?.error || !body.message) {
    return new CallError("unreachable", `The service does not answer as it should: status ${status}.`, { status });
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
