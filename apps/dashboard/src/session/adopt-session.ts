import type { Session } from "@lodge/contract/dashboard/access";
import { queryClient } from "../api/client.ts";
import { announceSessionChange } from "../api/live.ts";
import { sessionQuery } from "../api/queries.ts";

/** Switches to another session in every tab. */
export async function adoptSession(session: Session | null) {
  await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey }); // a response in flight may belong to the previous session
  queryClient.setQueryData(sessionQuery.queryKey, session);
  announceSessionChange();
}
