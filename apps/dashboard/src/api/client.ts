import { CallError } from "@lodge/contract/call";
import type { Change } from "@lodge/contract/dashboard/change";
import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { isRefused } from "./call.ts";
import { sessionQuery } from "./queries.ts";
import { keysAfter } from "./query.ts";

const retriesMax = 2;
/** After how long what was refused for now is asked for again, where the server does not say: each time after twice as long. */
const askAgainSeconds = 5;
const askAgainSecondsMax = 60;

/**
 * The cache of the server's answers. A session session that has ended shows at once, whichever request finds it out.
 */
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
  const spread = 1 + Math.random(); // pages that were refused together do not come together again
  setTimeout(
    () => {
      if (refusals.get(query) !== count) return; // it came, or was refused once more
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    },
    seconds * 1000 * spread,
  );
}

/** Whether what was refused may be answered another time: the server was not reached, is too busy, or has failed. */
const mayPass = (error: unknown): error is CallError =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Fetches anew what is shown and is out of date after a change that this page has caused. The boards hear of it. */
export const fetchAfter = (change: Change) =>
  Promise.all(keysAfter(change).map((queryKey) => queryClient.invalidateQueries({ queryKey })));
