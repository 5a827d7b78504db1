import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Keeps a session from being ended until the transaction ends, so that a password change either removes what it adds to
 * the account or prevents it. Throws `not_signed_in` if the session has ended.
 */
export async function holdSession(tx: Transaction, sessionId: string): Promise<void> {
  const held = await tx.selectFrom("sessions").select("id").where("id", "=", sessionId).forShare().executeTakeFirst();
  if (!held) throw new Refusal("not_signed_in");
}
