import type { IncomingMessage } from "node:http";

const failed = new WeakMap<IncomingMessage, { error: unknown }>();

/** Has a request fail before any route looks at it, and be answered as if the route had thrown this. */
export function failAhead(request: IncomingMessage, error: unknown): void {
  failed.set(request, { error });
}

/** The error of a request that failed before its handler ran. */
export const failureAhead = (request: IncomingMessage): { error: unknown } | undefined => failed.get(request);
