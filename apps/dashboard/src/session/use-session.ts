import type { Membership, Session } from "@lodge/contract/dashboard/access";
import { createContext, use } from "react";

/** A session with an organisation. */
export type MemberSession = Session & { organisation: Membership };

/** Set by `SignedIn` for every page below it. */
export const SessionContext = createContext<MemberSession | undefined>(undefined);

/** The session; only on pages below `SignedIn`. */
export function useSession(): MemberSession {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession outside of SignedIn");
  return session;
}
