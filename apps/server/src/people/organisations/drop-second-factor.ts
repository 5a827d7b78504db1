import type { Deps } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { removeSecondFactor } from "../access/second-factor.ts";
import { recordAudit } from "../audit/record-audit.ts";

/** Removes a person's second factor, if there is one, for the operator. Throws an `OperatorError`. */
export function dropSecondFactor(
  { db, clock }: Pick<Deps, "db" | "clock">,
  email: string,
): Promise<{ user: { id: string; email: string } }> {
  return db.transaction().execute(async (tx) => {
    const user = await tx
      .selectFrom("users")
      .select(["id", "email", "name"])
      .where(isPasswordAccountOf(email.toLowerCase()))
      .executeTakeFirst();
    if (!user) throw new OperatorError(`There is nobody with the address "${email}".`);
    await removeSecondFactor(tx, user.id);
    const theirs = await tx.selectFrom("members").select("organisation_id").where("user_id", "=", user.id).execute();
    for (const { organisation_id: organisationId } of theirs) {
      const who = { organisationId, userId: null, name: "lodged second-factor remove" };
      const details = { memberId: user.id, memberName: user.name };
      await recordAudit(tx, who, clock.now(), "second_factor.removed", details);
    }
    return { user: { id: user.id, email: user.email } };
  });
}
