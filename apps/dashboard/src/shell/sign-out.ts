import { signOut as endSession } from "@lodge/contract/calls.generated";
import { adoptSession } from "../api/adopt-session.ts";
import { call } from "../api/call.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** Ends the session in every tab of this browser. */
export async function signOut() {
  try {
    await call(endSession);
    await adoptSession(null);
  } catch (error) {
    tellFailed("You are still signed in", error);
  }
}
