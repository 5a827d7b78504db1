import type { World } from "@lodge/contract/world";
import type { Transaction } from "../../platform/database/database.ts";
import { allowanceAfter, changeAllowance } from "../installs/change-allowance.ts";

/** Creates the organisation with this slug and its agent, or updates the existing one. Omitted fields do not change. */
export async function applyOrganisation(
  tx: Transaction,
  now: Date,
  { slug, name, plan, credits, monthlyInstallLimit }: World["organisation"],
): Promise<{ id: string; slug: string; agentUserId: string }> {
  const found = await tx
    .selectFrom("organisations")
    .selectAll()
    .where("slug", "=", slug)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (found) {
    const before = { plan: found.plan, monthlyInstallLimit: found.monthly_install_limit };
    const after = allowanceAfter(before, { plan, monthlyInstallLimit });
    await tx
      .updateTable("organisations")
      .set({ name, plan, credits, monthly_install_limit: after.monthlyInstallLimit })
      .where("id", "=", found.id)
      .execute();
    await recordSetting(tx, now, found.id, (credits ?? found.credits) - found.credits);
    await changeAllowance(tx, now, found.id, before, after);
    return { id: found.id, slug, agentUserId: found.agent_user_id };
  }
  const agent = await tx
    .insertInto("users")
    .values({ name: "Agent", email: `agent@${slug}.lodge.invalid` })
    .returning("id")
    .executeTakeFirstOrThrow();
  const made = await tx
    .insertInto("organisations")
    .values({ slug, name, plan, credits, monthly_install_limit: monthlyInstallLimit, agent_user_id: agent.id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await recordSetting(tx, now, made.id, credits ?? 0);
  await tx
    .insertInto("members")
    .values({ organisation_id: made.id, user_id: agent.id, role: "member", joined_by: "apply" })
    .execute();
  return { id: made.id, slug, agentUserId: agent.id };
}

/** Every change of the credits has an entry, so that entries add up to the balance. */
async function recordSetting(tx: Transaction, now: Date, organisationId: string, amount: number) {
  if (amount === 0) return;
  await tx
    .insertInto("credit_entries")
    .values({ organisation_id: organisationId, kind: "set", amount, created_at: now })
    .execute();
}
