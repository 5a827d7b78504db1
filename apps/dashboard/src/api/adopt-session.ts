import { getSession, getTicketPlace } from "@lodge/contract/calls.generated";
import type { Session } from "@lodge/contract/dashboard/access";
import { queryClient } from "./client.ts";
import { announceSessionChange } from "./live.ts";
import { sessionQuery } from "./queries.ts";

/** Goes on with another session, in every tab; what was known under the one before is forgotten, and what is still on its way. */
export async function adoptSession(session: Session | null) {
  await queryClient.cancelQueries();
  queryClient.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== getSession.id && queryKey[0] !== getTicketPlace.id,
  });
  queryClient.setQueryData(sessionQuery.queryKey, session);
  announceSessionChange();
}
