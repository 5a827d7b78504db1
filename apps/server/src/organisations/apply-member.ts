import type { World } from "@lodge/contract/world";
import type { Transaction } from "../platform/database/database.ts";
import { applyPassword } from "./apply-password.ts";

type Member = NonNullable<World["members"]>[number];

/** Makes a person a member of an organisation, or changes what differs. Keyed by e-mail, of any letter case. */
export async function applyMember(
  tx: Transaction,
  organisationId: string,
  { email, name, role, password }: Member,
): Promise<{ id: string; email: string }> {
  const { id } = await tx
    .insertInto("users")
    .values({ name, email: email.toLowerCase(), email_verified: true })
    .onConflict((conflict) => conflict.column("email").doUpdateSet({ name }))
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("members")
    .values({ organisation_id: organisationId, user_id: id, role })
    .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role }))
    .execute();
  if (password !== undefined) await applyPassword(tx, id, password);
  return { id, email };
}
