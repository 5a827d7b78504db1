import type { Session, SwitchOrganisation } from "@lodge/contract/dashboard/access";
import { queryClient } from "../api/client.ts";
import { announceSessionChange } from "../api/live.ts";
import { sessionQuery } from "../api/queries.ts";
import { request } from "../api/request.ts";

/** Works on another organisation from now on, and forgets what was known of the one before. */
export async function switchOrganisation(organisationId: string) {
  const session = await request<Session>("PATCH", "session", { organisationId } satisfies SwitchOrganisation);
  queryClient.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== "session" && queryKey[0] !== "ticket-place",
  });
  queryClient.setQueryData(sessionQuery.queryKey, session);
  announceSessionChange();
}
