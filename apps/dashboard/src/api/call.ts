import { CallError, createCaller } from "@lodge/contract/call";
import type { ErrorCode, Problem } from "@lodge/contract/errors";
import { noteReached } from "./reach.ts";

const gatewayStatuses = [502, 503, 504];

/** Calls an operation of the server that served this page. Throws a `CallError` on failure. */
export const call = createCaller({
  fetch: async (...request) => {
    try {
      const response = await fetch(...request);
      noteReached("requests", !gatewayStatuses.includes(response.status));
      return response;
    } catch (error) {
      noteReached("requests", false);
      throw error;
    }
  },
});

/** Whether a call was refused with this error code. */
export const isRefused = (error: unknown, code: ErrorCode): boolean =>
  error instanceof CallError && error.code === code;

/** The message to show for any error. */
export function messageOf(error: unknown): string {
  if (!(error instanceof CallError)) return "Something went wrong on this page. Reload it and try again.";
  const { code, status, message, details, retryAfterSeconds = 60, requestId } = error;
  if (code === "invalid_input" && details.length > 0) return details.map(inWords).join(" ");
  if (code === "rate_limit_exceeded")
    return `Too many attempts. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}.`;
  if (code !== "unreachable") return requestId === undefined ? message : `${message} Request ${requestId}.`;
  return status === 0
    ? "Lodge cannot be reached. Check your connection and try again."
    : `Lodge is not available right now (${status}). Try again in a moment.`;
}

/** A field's problem as a sentence. Entries count from 1: the second entry of `origins` is “origins 2”. */
const inWords = ({ path, message }: Problem) => {
  const place = path.slice(1).replace(/\/(\d+)/g, (_, index) => ` ${Number(index) + 1}`);
  return `${place === "" ? "The request" : `“${place}”`} ${message}.`;
};
