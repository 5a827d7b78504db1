import type { Session } from "@lodge/contract/dashboard/access";
import { queryClient } from "../api/client.ts";
import { announceSessionChange } from "../api/live.ts";
import { sessionQuery } from "../api/queries.ts";

/** Goes on with another session, in every tab. */
export async function adoptSession(session: Session | null) {
  await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey }); // an answer under way may be of the one before
  queryClient.setQueryData(sessionQuery.queryKey, session);
  announceSessionChange();
}
