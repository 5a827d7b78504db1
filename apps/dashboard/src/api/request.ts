import type { ErrorCode, Problem } from "@lodge/contract/errors";

/** Why the server did not do what it was asked for; `message` is fit to be shown. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode | "unreachable";
  readonly details: Problem[];

  constructor(code: ErrorCode | "unreachable", message: string, details: Problem[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Sends a request to the dashboard's API, throwing an `ApiError` for anything but success. */
export async function request<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`/api/dashboard/${path}`, {
    method,
    headers: body ? { accept: "application/json", "content-type": "application/json" } : { accept: "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError("unreachable", "Lodge cannot be reached. Check your connection and try again.");
  });
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as Answer;
  throw await readError(response);
}

async function readError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: ErrorCode; message?: string; details?: Problem[]; requestId?: string }
    | undefined;
  if (!body?.error || !body.message) {
    return new ApiError("unreachable", `Lodge is not available right now (${response.status}). Try again in a moment.`);
  }
  if (body.error === "rate_limit_exceeded") {
    const seconds = response.headers.get("retry-after") ?? "60";
    return new ApiError(body.error, `Too many attempts. Try again in ${seconds} seconds.`);
  }
  const reference = body.requestId ? ` Request ${body.requestId}.` : "";
  return new ApiError(body.error, `${body.message}${reference}`, body.details);
}

/** What to tell the person about a failure of any kind. */
export const messageOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : "Something went wrong in this page. Reload it and try again.";

/** Whether a failure is the server's refusal with this code. */
export const isApiError = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ApiError && error.code === code;
