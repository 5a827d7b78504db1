import { type Dispatcher, errors, request } from "undici";
import { traceparent } from "../observe/tracing.ts";
import { AddressRefused } from "./outbound.ts";

/** The outcome of one attempt. `reason` says why it failed and is null where it succeeded. */
export type Outcome = {
  status: number | null;
  response: string | null;
  reason: string | null;
  /** Whether the receiver asked never to be tried again. */
  isGone?: boolean;
  /** The pause that the receiver asked for; nothing is attempted before, by this message or another. */
  retryAfterMs?: number | null;
};

/** An attempt ends after this, answered or not. */
const attemptTimeoutMs = 15_000;
const responseBytesMax = 4_096;
const retryAfterMsMax = 86_400_000;

/** The headers of every message. */
export const messageHeaders = { "content-type": "application/json", "user-agent": "Lodge" };

/**
 * Sends a message once and tells what came of it. Any 2xx is a success. Redirects are not followed, and of the answer no
 * more than 4 KiB are read.
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

/**
 * The pause that a receiver asks for, in milliseconds (RFC 9110, section 10.2.3: seconds, or a date), at most a day.
 */
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

/** The answer's status has come: what happens while its body is read changes nothing about the outcome. */
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
    // The connection broke, or the time was up.
  }
  return Buffer.concat(chunks).subarray(0, responseBytesMax).toString("utf8").replaceAll("\u0000", "\uFFFD");
}

/** The reason why a request got no answer, for the people who manage its subscriber. */
export function describeFailure(error: Error): string {
  const cause = [error, error.cause].find((candidate) => candidate instanceof AddressRefused);
  if (cause) return `The address is not allowed: ${cause.message}. Allow it with LODGE_WEBHOOK_ALLOWED_NETWORKS.`;
  if (error.name === "TimeoutError") return `No answer within ${attemptTimeoutMs / 1000} s.`;
  if (error instanceof errors.ConnectTimeoutError) return "No connection within 10 s.";
  const { code } = error as NodeJS.ErrnoException;
  return `The request failed: ${error.message || code || error.name}.`;
}
