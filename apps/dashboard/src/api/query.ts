import type { Call, CallInput, InputArgument } from "@lodge/contract/call";
import * as calls from "@lodge/contract/calls.generated";
import type { Change } from "@lodge/contract/dashboard/change";
import { type QueryKey, queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";
import { isLive } from "./reach.ts";

/** The query key of an operation's responses, for one input or for all inputs. */
export function keyOf<C extends Call>(operation: C, input?: Partial<CallInput<C>>): QueryKey {
  const { params = {}, query } = (input ?? {}) as { params?: object; query?: object };
  return query ? [operation.id, params, query] : [operation.id, params];
}

/** The stale time of data for which the server sends no change messages. */
export const unannouncedStaleMs = 10_000;

/** The stale time of data for which the server sends change messages: infinite while the stream is connected. */
export const staleTimeWhileLive = (): number => (isLive() ? Number.POSITIVE_INFINITY : unannouncedStaleMs);

/** The query options of an operation: how to call it, and its cache key. */
export const query = <C extends Call>(operation: C, ...input: InputArgument<C>) =>
  queryOptions({
    queryKey: keyOf(operation, input[0]),
    queryFn: () => call(operation, ...input),
    staleTime: operation.staleAfter ? staleTimeWhileLive : unannouncedStaleMs,
  });

/** The query keys that a change makes stale, according to each operation's `staleAfter`. */
export function keysAfter(change: Change): QueryKey[] {
  const stale = Object.values(calls).filter(({ staleAfter }) => staleAfter?.includes(change.kind));
  return stale.flatMap((operation) => paramsIn(change, operation).map((params) => [operation.id, params]));
}

/** An operation's path parameters in a change, including the place it moved from. An empty object matches all. */
function paramsIn(change: Change, { path }: Call): Record<string, string>[] {
  const named = change as Record<string, string>;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const fields = [names, names.map((name) => `from${name[0]?.toUpperCase()}${name.slice(1)}`)];
  const places = fields
    .filter((place) => place.every((field) => field in named))
    .map((place) => Object.fromEntries(place.map((field, index) => [names[index], named[field]])));
  return places.length > 0 ? places : [{}];
}
