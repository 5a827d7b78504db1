import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Keeps a session from being ended until the transaction ends: what it adds to its account is there before a new password
 * takes it away, or never. Throws `not_signed_in` where it was ended meanwhile.
 */
export async function holdSession(tx: Transaction, sessionId: string): Promise<void> {
  const held = await tx.selectFrom("sessions").select("id").where("id", "=", sessionId).forShare().executeTakeFirst();
  if (!held) throw new Refusal("not_signed_in");
}
