import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "./queries.ts";
import { ApiError, isApiError } from "./request.ts";

const retriesMax = 2;

/** What the pages know of the server. A session that has ended shows at once, whichever request finds it out. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => error instanceof ApiError && error.code === "unreachable" && failures < retriesMax,
      networkMode: "always",
      refetchOnReconnect: true,
    },
    mutations: { networkMode: "always" },
  },
});

function forgetEndedSession(error: Error) {
  if (isApiError(error, "not_signed_in")) queryClient.setQueryData(sessionQuery.queryKey, null);
}
