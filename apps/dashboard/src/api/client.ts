import { CallError } from "@lodge/contract/call";
import type { Change } from "@lodge/contract/dashboard/change";
import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { isRefused } from "./call.ts";
import { sessionQuery } from "./queries.ts";
import { keysAfter } from "./query.ts";

const retriesMax = 2;
/**
 * The delay before a refetch that was refused is retried, unless the server sends `Retry-After`. It doubles each time.
 */
const askAgainSeconds = 5;
const askAgainSecondsMax = 60;

/** The cache of server responses. As soon as any request finds that the session has ended, the page shows it. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      forgetEndedSession(error);
      askAgainLater(error, query);
    },
    onSuccess: (_, query) => void refusals.delete(query),
  }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => error instanceof CallError && error.code === "unreachable" && failures < retriesMax,
      networkMode: "always",
      refetchOnReconnect: true,
    },
    mutations: { networkMode: "always" },
  },
});

function forgetEndedSession(error: Error) {
  if (isRefused(error, "not_signed_in")) queryClient.setQueryData(sessionQuery.queryKey, null);
  if (isRefused(error, "second_factor_needed")) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** The number of times in a row that a known query could not be refetched. */
const refusals = new WeakMap<CachedQuery, number>();
type CachedQuery = Query<unknown, unknown, unknown>;

/**
 * Retries a stale query that could not be refetched, and refetches what live events change meanwhile, while the old
 * data stays visible. A query without data shows an error with a button instead.
 */
function askAgainLater(error: unknown, query: CachedQuery) {
  if (query.state.data === undefined || !mayPass(error)) return;
  const count = (refusals.get(query) ?? 0) + 1;
  refusals.set(query, count);
  const first = Math.max(1, error.retryAfterSeconds ?? askAgainSeconds);
  const seconds = Math.max(first, Math.min(first * 2 ** (count - 1), askAgainSecondsMax));
  const spread = 1 + Math.random(); // so that pages that were refused together do not retry together
  setTimeout(
    () => {
      if (refusals.get(query) !== count) return; // it has succeeded or failed since
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    },
    seconds * 1000 * spread,
  );
}

/** Whether a retry may succeed: the server was unreachable or too busy, or failed. */
const mayPass = (error: unknown): error is CallError =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Invalidates the queries that a change made by this page has made stale. Boards get the change from the stream. */
export const fetchAfter = (change: Change) =>
  Promise.all(keysAfter(change).map((queryKey) => queryClient.invalidateQueries({ queryKey })));
