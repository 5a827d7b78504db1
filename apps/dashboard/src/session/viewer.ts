import type { Session } from "@lodge/contract/dashboard/access";
import { hashKey } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { sessionQuery } from "../api/queries.ts";
import { dismissAll } from "../ui/toasts.tsx";

/** The person and the organisation of a session; null for nobody. Data that one of them sees is not for another. */
export const viewerOf = (session: Session | null): string | null =>
  session && `${session.user.id} ${session.organisation?.id ?? ""}`;

/** Forgets everything that was fetched for one person or organisation as soon as the session is another's. */
export function forgetOnNewViewer() {
  const sessionHash = hashKey(sessionQuery.queryKey);
  let viewer: string | null | undefined;
  // However the new session becomes known: from this tab, from another one, or from the server.
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryHash !== sessionHash || query.state.data === undefined) return;
    const before = viewer;
    viewer = viewerOf(query.state.data as Session | null);
    if (before === undefined || before === viewer) return;
    queryClient.removeQueries({ predicate: ({ queryHash }) => queryHash !== sessionHash }); // with what is on its way
    dismissAll();
  });
}
