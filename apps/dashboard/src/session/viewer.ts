import type { Session } from "@lodge/contract/dashboard/access";
import { hashKey } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { sessionQuery } from "../api/queries.ts";
import { dismissAll } from "../ui/toasts.tsx";

/** The person and organisation of a session; null when signed out. One viewer must never see another's data. */
export const viewerOf = (session: Session | null): string | null =>
  session && `${session.user.id} ${session.organisation?.id ?? ""}`;

/** Clears all cached data as soon as the session belongs to another person or organisation. */
export function forgetOnNewViewer() {
  const sessionHash = hashKey(sessionQuery.queryKey);
  let viewer: string | null | undefined;
  // The new session can come from this tab, another tab or the server.
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryHash !== sessionHash || query.state.data === undefined) return;
    const before = viewer;
    viewer = viewerOf(query.state.data as Session | null);
    if (before === undefined || before === viewer) return;
    queryClient.removeQueries({ predicate: ({ queryHash }) => queryHash !== sessionHash }); // also cancels requests in flight
    dismissAll();
  });
}
