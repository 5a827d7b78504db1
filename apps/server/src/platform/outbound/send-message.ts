import { type Dispatcher, errors, request } from "undici";
import { traceparent } from "../observe/tracing.ts";
import { AddressRefused } from "./outbound.ts";

/** The outcome of an attempt. `reason` says why it failed, and is null if it succeeded. */
export type Outcome = {
  status: number | null;
  response: string | null;
  reason: string | null;
  /** Whether the receiver responded with 410, so that there must be no further attempts. */
  isGone?: boolean;
  /** The pause that the receiver asked for. Until then, there are no attempts for any message. */
  retryAfterMs?: number | null;
};

/** The timeout of an attempt. */
const attemptTimeoutMs = 15_000;
const responseBytesMax = 4_096;
const retryAfterMsMax = 86_400_000;

/** The headers of every message. */
export const messageHeaders = { "content-type": "application/json", "user-agent": "Lodge" };

/**
 * Makes one attempt to send a message and returns the outcome. Any 2xx is a success. Does not follow redirects, and
 * reads at most 4 KiB of the response.
 */
export async function sendMessage(
  agent: Dispatcher,
  url: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(attemptTimeoutMs);
  const trace = traceparent();
  try {
    const answer = await request(url, {
      method: "POST",
      headers: { ...messageHeaders, ...headers, ...(trace && { traceparent: trace }) },
      body,
      dispatcher: agent,
      signal,
    });
    const status = answer.statusCode;
    return {
      status,
      response: await readStart(answer.body),
      reason: reasonOf(status, answer.headers.location),
      isGone: status === 410,
      retryAfterMs: retryAfterOf(answer.headers),
    };
  } catch (error) {
    return { status: null, response: null, reason: describeFailure(error as Error) };
  }
}

/** The `Retry-After` of a receiver in milliseconds (RFC 9110, section 10.2.3), at most a day. */
export function retryAfterOf({
  "retry-after": value,
}: {
  "retry-after"?: string | string[] | undefined;
}): number | null {
  if (typeof value !== "string") return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? Math.min(Math.ceil(ms), retryAfterMsMax) : null;
}

function reasonOf(status: number, location: string | string[] | undefined): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It answered ${status}; redirects are not followed (to ${location}).`;
  return `It answered ${status}.`;
}

/** Reads the start of a body. Errors are ignored, since the status already decides the outcome. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= responseBytesMax) break;
    }
  } catch {
    // The connection was lost, or the attempt timed out.
  }
  return Buffer.concat(chunks).subarray(0, responseBytesMax).toString("utf8").replaceAll("\u0000", "\uFFFD");
}

/** Why a request got no response, for the members who manage the subscriber. */
export function describeFailure(error: Error): string {
  const cause = [error, error.cause].find((candidate) => candidate instanceof AddressRefused);
  if (cause) return `The address is not allowed: ${cause.message}. Allow it with LODGE_WEBHOOK_ALLOWED_NETWORKS.`;
  if (error.name === "TimeoutError") return `No response within ${attemptTimeoutMs / 1000} s.`;
  if (error instanceof errors.ConnectTimeoutError) return "No connection within 10 s.";
  const { code } = error as NodeJS.ErrnoException;
  return `The request failed: ${error.message || code || error.name}.`;
}
