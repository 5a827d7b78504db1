import { CallError } from "@lodge/contract/call";
import type { Session } from "@lodge/contract/dashboard/access";
import type { Change } from "@lodge/contract/dashboard/change";
import { hashKey, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { dismissAll } from "../ui/toasts.tsx";
import { isRefused } from "./call.ts";
import { sessionQuery } from "./queries.ts";
import { keysAfter } from "./query.ts";

const retriesMax = 2;

/** What the pages know of the server. A session that has ended shows at once, whichever request finds it out. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
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

/** The person and the organisation of a session; null for nobody. What one of them is shown is not for another. */
export const viewerOf = (session: Session | null): string | null =>
  session && `${session.user.id} ${session.organisation?.id ?? ""}`;

const sessionHash = hashKey(sessionQuery.queryKey);
let viewer: string | null | undefined;

// Whichever way it is learnt that there is another session: from this tab, from another one, or from the server.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated" || query.queryHash !== sessionHash || query.state.data === undefined) return;
  const before = viewer;
  viewer = viewerOf(query.state.data as Session | null);
  if (before === undefined || before === viewer) return;
  queryClient.removeQueries({ predicate: ({ queryHash }) => queryHash !== sessionHash }); // with what is on its way
  dismissAll();
});

function forgetEndedSession(error: Error) {
  if (isRefused(error, "not_signed_in")) queryClient.setQueryData(sessionQuery.queryKey, null);
  if (isRefused(error, "second_factor_needed")) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** Fetches anew what is shown and is out of date after a change that this page has caused. The boards hear of it. */
export const fetchAfter = (change: Change) =>
  Promise.all(keysAfter(change).map((queryKey) => queryClient.invalidateQueries({ queryKey })));
