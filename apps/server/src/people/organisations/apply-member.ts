import type { World } from "@lodge/contract/world";
import type { Transaction } from "../../platform/database/database.ts";
import { applyPassword, removePassword } from "./apply-password.ts";
import { clearAccount, isTrusted } from "./clear-account.ts";

type Member = NonNullable<World["members"]>[number];

/**
 * Makes a person a member of an organisation, or changes what differs. Matched by e-mail in any letter case. An account
 * that anybody may have created for the address is taken over: its creator's credentials are removed.
 */
export async function applyMember(
  tx: Transaction,
  now: Date,
  organisationId: string,
  { email, name, role, password }: Member,
  joinedBy: "apply" | "setup" = "apply",
): Promise<{ id: string; email: string }> {
  const { id } = await tx
    .insertInto("users")
    .values({ name, email: email.toLowerCase() })
    .onConflict((conflict) =>
      conflict.column("email").where("provider_organisation_id", "is", null).doUpdateSet({ name }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  const membership = await tx
    .selectFrom("members")
    .select("role")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", id)
    .executeTakeFirst();
  if (!membership && !(await isTrusted(tx, id))) {
    await clearAccount(tx, { userId: id, now, by: "lodged apply" });
    await removePassword(tx, id);
  }
  await tx
    .insertInto("members")
    .values({ organisation_id: organisationId, user_id: id, role, joined_by: joinedBy })
    .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role }))
    .execute();
  if (password !== undefined) await applyPassword(tx, id, password);
  return { id, email };
}
