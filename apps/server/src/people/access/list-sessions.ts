import type { OwnSessionList } from "@lodge/contract/dashboard/access";
import type { Deps } from "../../platform/deps.ts";
import type { SignedIn } from "./find-actor.ts";

const sessionsMax = 100;

/** The sessions of a person, the most recently used first. */
export async function listSessions({ db, clock }: Deps, { userId, sessionId }: SignedIn): Promise<OwnSessionList> {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "user_agent", "ip_address", "created_at", "updated_at"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", clock.now())
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .limit(sessionsMax)
    .execute();
  const sessions = rows.map(({ id, user_agent, ip_address, created_at, updated_at }) => ({
    id,
    isThis: id === sessionId,
    userAgent: user_agent,
    address: ip_address,
    signedInAt: created_at.toISOString(),
    usedAt: updated_at.toISOString(),
  }));
  return { sessions };
}
