import { queryClient } from "../api/client.ts";
import { announceSessionChange } from "../api/live.ts";
import { sessionQuery } from "../api/queries.ts";
import { messageOf, request } from "../api/request.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** Ends the session in every tab of this browser. */
export async function signOut() {
  try {
    await request("DELETE", "session");
  } catch (error) {
    tellFailed(`You are still signed in. ${messageOf(error)}`);
    return;
  }
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
  queryClient.setQueryData(sessionQuery.queryKey, null);
  announceSessionChange();
}
