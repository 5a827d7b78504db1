import { CallError } from "@lodge/contract/call";
import { type MutationKey, useIsMutating, useMutationState } from "@tanstack/react-query";

/** The prefix of the mutation keys of queued changes. */
const waiting = "waiting";
const retryMsMax = 15_000;

/** The mutation key of a kind of queued change. */
export const waitingKey = (kind: string): MutationKey => [waiting, kind];

/**
 * The mutation options of queued changes: they are sent in order, one at a time, once the server is reachable. A change
 * may be sent more than once. `keepWaiting` makes them survive the page.
 */
export const whenReached = {
  scope: { id: "change-cards" },
  networkMode: "online",
  retry: (_failures: number, error: Error) => isForNow(error),
  retryDelay: (failures: number, error: Error) =>
    ((error instanceof CallError && error.retryAfterSeconds) || 0) * 1_000 ||
    Math.min(1_000 * 2 ** failures, retryMsMax),
} as const;

/** Whether the failure is temporary: no response (0), a rate limit, a gateway error, or our own 503. */
const isForNow = (error: Error) => error instanceof CallError && [0, 429, 502, 503, 504].includes(error.status);

/** The queued changes of a kind, oldest first. */
export const useWaiting = <Change>(kind: string): Change[] =>
  useMutationState({
    filters: { mutationKey: waitingKey(kind), status: "pending" },
    select: ({ state }) => state.variables as Change,
  });

/** The number of queued changes. */
export const useWaitingCount = (): number => useIsMutating({ mutationKey: [waiting] });

/** A random idempotency key. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
