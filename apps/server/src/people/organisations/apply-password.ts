import type { Transaction } from "../../platform/database/database.ts";
import { endSessions } from "../access/end-sessions.ts";
import { hashPassword, verifyPassword } from "../access/password-hash.ts";

/** Sets a person's password, and ends the sessions opened with another one; does nothing if it is unchanged. */
export async function applyPassword(tx: Transaction, userId: string, password: string): Promise<void> {
  const known = await tx.selectFrom("passwords").select("hash").where("user_id", "=", userId).executeTakeFirst();
  if (known && (await verifyPassword({ hash: known.hash, password }))) return;
  await writePassword(tx, userId, await hashPassword(password));
  await endSessions(tx, userId);
}

/** Sets the hash of a person's password; a pending password link stops working. */
export async function writePassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx
    .insertInto("passwords")
    .values({ user_id: userId, hash })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash }))
    .execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}

/** Removes a person's password and pending password link. */
export async function removePassword(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("passwords").where("user_id", "=", userId).execute();
  await tx.deleteFrom("password_links").where("user_id", "=", userId).execute();
}
