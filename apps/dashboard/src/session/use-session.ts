import type { Membership, Session } from "@lodge/contract/dashboard/access";
import { createContext, use } from "react";

/** Who is signed in, in an organisation. */
export type MemberSession = Session & { organisation: Membership };

/** Set by `SignedIn` for every page below it. */
export const SessionContext = createContext<MemberSession | undefined>(undefined);

/** Who is signed in; only on pages below `SignedIn`. */
export function useSession(): MemberSession {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession outside of SignedIn");
  return session;
}
