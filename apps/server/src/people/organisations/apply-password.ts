import type { Transaction } from "../../platform/database/database.ts";
import { endSessions } from "../access/end-sessions.ts";
import { hashPassword, verifyPassword } from "../access/password-hash.ts";

/**
 * Makes this the password that a person signs in with, and ends the sessions of whoever came in with another one; writes
 * nothing where it is already.
 */
export async function applyPassword(tx: Transaction, userId: string, password: string): Promise<void> {
  const known = await tx.selectFrom("passwords").select("hash").where("user_id", "=", userId).executeTakeFirst();
  if (known && (await verifyPassword({ hash: known.hash, password }))) return;
  await writePassword(tx, userId, await hashPassword(password));
  await endSessions(tx, userId);
}

/** Makes this hash that of the password that a person signs in with; a link for another one works no longer. */
export async function writePassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx
    .insertInto("passwords")
    .values({ user_id: userId, hash })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash }))
    .execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}

/** Takes a person's password away, and the link for a new one. */
export async function removePassword(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("passwords").where("user_id", "=", userId).execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}
