import type { Transaction } from "../../platform/database/database.ts";
import { endSessions } from "../access/end-sessions.ts";
import { hashPassword, verifyPassword } from "../access/password-hash.ts";

/**
 * Makes this the password that a person signs in with, and ends the sessions of whoever came in with another one; writes
 * nothing where it is already.
 */
export async function applyPassword(tx: Transaction, userId: string, password: string): Promise<void> {
  const account = await tx
    .selectFrom("accounts")
    .select(["id", "password"])
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  if (account?.password && (await verifyPassword({ hash: account.password, password }))) return;
  await writePassword(tx, userId, await hashPassword(password));
  await endSessions(tx, userId);
}

/** Makes this hash that of the password that a person signs in with; a link for another one works no longer. */
export async function writePassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx
    .insertInto("accounts")
    .values({ user_id: userId, provider_id: "credential", account_id: userId, password: hash })
    .onConflict((conflict) => conflict.columns(["provider_id", "account_id"]).doUpdateSet({ password: hash }))
    .execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}

/** Takes a person's password away, and the link for a new one. */
export async function removePassword(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("accounts").where("user_id", "=", userId).execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}
