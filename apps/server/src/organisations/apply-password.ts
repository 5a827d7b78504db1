import type { Transaction } from "../platform/database/database.ts";

/** Makes this the password that a person signs in with; writes nothing where it is already. */
export async function applyPassword(tx: Transaction, userId: string, password: string): Promise<void> {
  const { hashPassword, verifyPassword } = await import("better-auth/crypto"); // late: see access/auth.ts
  const account = await tx
    .selectFrom("accounts")
    .select(["id", "password"])
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  if (account?.password && (await verifyPassword({ hash: account.password, password }))) return;
  const hash = await hashPassword(password);
  await tx
    .insertInto("accounts")
    .values({ user_id: userId, provider_id: "credential", account_id: userId, password: hash })
    .onConflict((conflict) => conflict.columns(["provider_id", "account_id"]).doUpdateSet({ password: hash }))
    .execute();
}
