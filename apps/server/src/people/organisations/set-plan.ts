import { type Plan, plans } from "@lodge/contract/plans";
import type { Deps } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { allowanceAfter, changeAllowance, limitOf } from "../installs/change-allowance.ts";

/** The result: the plan, and `monthlyInstallLimit`, the limit in force: the organisation's own if it has one. */
type SetPlan = { organisation: { id: string; slug: string }; plan: Plan; monthlyInstallLimit: number };

/**
 * Changes the plan of an organisation, named by its slug. An upgrade ends a suspension immediately, and clears an own
 * limit below the plan's.
 */
export function setPlan({ db, clock }: Pick<Deps, "db" | "clock">, slug: string, plan: string): Promise<SetPlan> {
  const wanted = plans.find((known) => known === plan);
  if (!wanted) throw new OperatorError(`There is no plan "${plan}". The plans are ${plans.join(", ")}.`);
  return db.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom("organisations")
      .select(["id", "plan", "monthly_install_limit as monthlyInstallLimit"])
      .where("slug", "=", slug)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!found) throw new OperatorError(`There is no organisation "${slug}".`);
    const after = allowanceAfter(found, { plan: wanted });
    await tx
      .updateTable("organisations")
      .set({ plan: wanted, monthly_install_limit: after.monthlyInstallLimit })
      .where("id", "=", found.id)
      .execute();
    await changeAllowance(tx, clock.now(), found.id, found, after);
    return { organisation: { id: found.id, slug }, plan: wanted, monthlyInstallLimit: limitOf(after) };
  });
}
