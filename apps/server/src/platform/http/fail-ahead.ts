import type { IncomingMessage } from "node:http";

const failed = new WeakMap<IncomingMessage, { error: unknown }>();

/** Makes a request fail before its route runs, as if the route had thrown this error. */
export function failAhead(request: IncomingMessage, error: unknown): void {
  failed.set(request, { error });
}

/** The error set by `failAhead`, if any. */
export const failureAhead = (request: IncomingMessage): { error: unknown } | undefined => failed.get(request);
