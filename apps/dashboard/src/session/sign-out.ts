import { signOut as endSession } from "@lodge/contract/calls.generated";
import { call } from "../api/call.ts";
import { tellFailed } from "../ui/toasts.tsx";
import { adoptSession } from "./adopt-session.ts";

let onPurpose = false;

/** Whether the person signed out in this tab and nobody has signed in since. */
export const isSignedOutOnPurpose = (): boolean => onPurpose;

/** Records that somebody is signed in. */
export function noteSignedIn() {
  onPurpose = false;
}

/** Ends the session in every tab of this browser. */
export async function signOut() {
  try {
    await call(endSession);
    onPurpose = true;
    await adoptSession(null);
  } catch (error) {
    tellFailed("You are still signed in", error);
  }
}
