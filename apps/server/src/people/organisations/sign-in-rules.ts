import type { SignInRules } from "@lodge/contract/dashboard/factors";
import { sql } from "kysely";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { hasSecondFactorSql, removeSecondFactor } from "../access/second-factor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { lockAccount } from "./make-password-link.ts";

/** How members of an organisation sign in. */
export async function showSignInRules({ db }: Deps, { organisationId }: Actor): Promise<SignInRules> {
  const { requires_second_factor } = await db
    .selectFrom("organisations")
    .select("requires_second_factor")
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  return { requiresSecondFactor: requires_second_factor };
}

/**
 * Changes how members sign in, effective from each member's next request. Throws `second_factor_needed` for an owner
 * who would lock themselves out.
 */
export async function changeSignInRules(deps: Deps, actor: Actor, rules: SignInRules): Promise<SignInRules> {
  await deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ allowed: boolean }>`
      select (not ${rules.requiresSecondFactor}::boolean or ${sql.raw(hasSecondFactorSql("users.id"))}) as allowed
      from users where id = ${actor.userId}`.execute(tx);
    if (!rows[0]?.allowed) throw new Refusal("second_factor_needed");
    await tx
      .updateTable("organisations")
      .set({ requires_second_factor: rules.requiresSecondFactor })
      .where("id", "=", actor.organisationId)
      .execute();
    await recordAudit(tx, actor, deps.clock.now(), "sign_in.changed", rules);
    await publish(tx, actor.organisationId, { kind: "members.changed" });
  });
  return rules;
}

/**
 * Removes a member's second factor. Throws `forbidden`, `member_not_found`, `agent_is_fixed`, `account_of_provider` or
 * `member_elsewhere`.
 */
export function removeMemberSecondFactor(deps: Deps, actor: Actor, userId: string): Promise<void> {
  return deps.db.transaction().execute(async (tx) => {
    const member = await lockAccount(tx, actor, userId);
    await removeSecondFactor(tx, member.userId);
    const details = { memberId: member.userId, memberName: member.name };
    await recordAudit(tx, actor, deps.clock.now(), "second_factor.removed", details);
  });
}
