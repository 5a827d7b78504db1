import { adoptSession } from "../api/adopt-session.ts";
import { request } from "../api/request.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** Ends the session in every tab of this browser. */
export async function signOut() {
  try {
    await request("DELETE", "session");
    await adoptSession(null);
  } catch (error) {
    tellFailed("You are still signed in", error);
  }
}
