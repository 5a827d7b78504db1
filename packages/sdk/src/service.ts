import { LodgeError } from "./lodge-error.ts";
import type { Platform } from "./platform.ts";

/** The service's answer. */
export type Answer = { status: number; body: Record<string, unknown>; retryAfter: string | null };

/** The way to the service. Resolves with nothing where it was not reached: what stands in between answers too. */
export type Service = (
  path: string,
  credential: string,
  init: RequestInit,
  bytes?: number,
) => Promise<Answer | undefined>;

/** A connection that is slower than this, in bytes a millisecond, or takes so long to answer, counts as hanging. */
const slowestBytesPerMs = 10;
const timeoutMs = 60_000;

/** Makes the way to a service, with the `fetch` of now, whatever the page makes of it later. `ending` ends all requests. */
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
      // To sign in on, say, and even with 200. A report that is too large for a proxy will be so at every try.
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

/** The body of an answer; throws a `LodgeError` for anything but success. */
export function bodyOf<T>(answer: Answer | undefined): T {
  if (answer && answer.status < 300) return answer.body as T;
  const code = `${answer ? (answer.body.error ?? answer.status) : "unreachable"}`;
  throw new LodgeError(code, answer?.body.message as string | undefined, answer);
}
