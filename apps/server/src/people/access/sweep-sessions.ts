import type { Deps } from "../../platform/deps.ts";

const knownAddressMs = 90 * 86_400_000;

/**
 * Deletes expired sessions and challenges for passkeys, and the addresses from which nobody has signed in for 90 days.
 */
export async function sweepSessions({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await db.deleteFrom("sessions").where("expires_at", "<", now).execute();
  await db
    .deleteFrom("known_addresses")
    .where("seen_at", "<", new Date(now.getTime() - knownAddressMs))
    .execute();
  await db.deleteFrom("passkey_challenges").where("expires_at", "<", now).execute();
}
