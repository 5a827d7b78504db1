import { CallError } from "@lodge/contract/call";
import { type MutationKey, useIsMutating, useMutationState } from "@tanstack/react-query";

/** The prefix of the keys of changes that wait until the server can be reached. */
const waiting = "waiting";
const retryMsMax = 15_000;

/** The key of a kind of changes that wait. */
export const waitingKey = (kind: string): MutationKey => [waiting, kind];

/**
 * How a change is sent that waits until the server can be reached, one after the other in the order in which they were made.
 * It may be sent more than once. `keepWaiting` has it outlive the page.
 */
export const whenReached = {
  scope: { id: "change-cards" },
  networkMode: "online",
  retry: (_failures: number, error: Error) => isForNow(error),
  retryDelay: (failures: number, error: Error) =>
    ((error instanceof CallError && error.retryAfterSeconds) || 0) * 1_000 ||
    Math.min(1_000 * 2 ** failures, retryMsMax),
} as const;

/** Whether the server was not reached, or refuses for now: 0 is no answer, and gateways and our own 503 pass. */
const isForNow = (error: Error) => error instanceof CallError && [0, 429, 502, 503, 504].includes(error.status);

/** The changes of a kind that the server has not got yet, the oldest first. */
export const useWaiting = <Change>(kind: string): Change[] =>
  useMutationState({
    filters: { mutationKey: waitingKey(kind), status: "pending" },
    select: ({ state }) => state.variables as Change,
  });

/** The number of changes that wait to be sent. */
export const useWaitingCount = (): number => useIsMutating({ mutationKey: [waiting] });

/** A key that nobody else makes: with it the server does what it is asked once. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
