import { LodgeError } from "./lodge-error.ts";
import type { Platform } from "./platform.ts";

/** The server's response. */
export type Answer = { status: number; body: Record<string, unknown>; retryAfter: string | null };

/** Sends a request to the server. Resolves with undefined if it was not reached, or if a proxy answered instead. */
export type Service = (
  path: string,
  credential: string,
  init: RequestInit,
  bytes?: number,
) => Promise<Answer | undefined>;

/** The timeout of a request is `timeoutMs`, plus the time for its bytes at this speed. */
const slowestBytesPerMs = 10;
const timeoutMs = 60_000;

/** Opens a connection that keeps the current `fetch`, even if the page replaces it. `ending` aborts all requests. */
export function openService(platform: Platform, url: string, ending: AbortSignal): Service {
  const fetch = globalThis.fetch.bind(globalThis);
  return async (path, credential, init, bytes = 0) => {
    if (ending.aborted) return undefined;
    const controller = new AbortController();
    const abort = () => controller.abort();
    const cancel = platform.after(timeoutMs + bytes / slowestBytesPerMs, abort);
    ending.addEventListener("abort", abort);
    try {
      const headers = { ...init.headers, authorization: `Bearer ${credential}` };
      const response = await fetch(url + path, { ...init, headers, signal: controller.signal });
      const { status } = response;
      const body = await response.json().catch(() => undefined);
      const isPage = response.headers.get("content-type")?.startsWith("text/html");
      // HTML is not from Lodge but, for example, a proxy's sign-in page. 413 is final: a retry would not help.
      if (status < 400 ? !body : isPage && status !== 413) return undefined;
      return { status, body: body ?? {}, retryAfter: response.headers.get("retry-after") };
    } catch {
      return undefined;
    } finally {
      cancel();
      ending.removeEventListener("abort", abort);
    }
  };
}

/** The body of a successful response; throws a `LodgeError` for any other. */
export function bodyOf<T>(answer: Answer | undefined): T {
  if (answer && answer.status < 300) return answer.body as T;
  const code = `${answer ? (answer.body.error ?? answer.status) : "unreachable"}`;
  throw new LodgeError(code, answer?.body.message as string | undefined, answer);
}
