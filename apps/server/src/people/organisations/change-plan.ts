import type { ChangePlan, Usage } from "@lodge/contract/dashboard/usage";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { allowanceAfter, changeAllowance } from "../installs/change-allowance.ts";
import { readUsage } from "../installs/show-usage.ts";

/** Changes the plan of the organisation, its own limit, or both. An upgrade ends a suspension immediately. */
export function changePlan({ db, clock }: Deps, actor: Actor, wanted: ChangePlan): Promise<Usage> {
  const { organisationId } = actor;
  return db.transaction().execute(async (tx) => {
    const now = clock.now();
    const before = await tx
      .selectFrom("organisations")
      .select(["plan", "monthly_install_limit as monthlyInstallLimit"])
      .where("id", "=", organisationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const after = allowanceAfter(before, wanted);
    await tx
      .updateTable("organisations")
      .set({ plan: after.plan, monthly_install_limit: after.monthlyInstallLimit })
      .where("id", "=", organisationId)
      .execute();
    await changeAllowance(tx, now, organisationId, before, after, actor);
    await publish(tx, organisationId, { kind: "allowance.changed" });
    return readUsage(tx, organisationId, now);
  });
}
