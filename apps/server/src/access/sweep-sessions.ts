import type { Deps } from "../platform/deps.ts";

/** Forgets the sessions that have expired, and what the sign-in library no longer needs. */
export async function sweepSessions({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await db.deleteFrom("sessions").where("expires_at", "<", now).execute();
  await db.deleteFrom("verifications").where("expires_at", "<", now).execute();
}
