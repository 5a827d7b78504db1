import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Revokes a runner, effective from its next request. Its runs are queued again once their leases expire. Throws
 * `runner_not_found`.
 */
export function revokeRunner({ db, clock }: Deps, actor: Actor, runnerId: string): Promise<void> {
  const { organisationId } = actor;
  return db.transaction().execute(async (tx) => {
    const revoked = await tx
      .deleteFrom("runners")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", runnerId)
      .returning("name")
      .executeTakeFirst();
    if (!revoked) throw new Refusal("runner_not_found");
    await recordAudit(tx, actor, clock.now(), "runner.revoked", { runner: revoked.name });
    await publish(tx, organisationId, { kind: "runners.changed" });
  });
}
