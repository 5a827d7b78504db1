import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { lockMember } from "./lock-member.ts";

/** Removes a member from the organisation, or lets one leave. Throws what `changeMember` does. */
export async function removeMember(deps: Deps, actor: Actor, userId: string): Promise<void> {
  if (actor.role === "member" && userId.toLowerCase() !== actor.userId) throw new Refusal("forbidden");
  await deps.db.transaction().execute(async (tx) => {
    const { member, isLastOwner } = await lockMember(tx, actor, userId);
    if (isLastOwner) throw new Refusal("last_owner");
    await tx
      .deleteFrom("members")
      .where("organisation_id", "=", actor.organisationId)
      .where("user_id", "=", userId)
      .execute();
    await recordAudit(tx, actor, deps.clock.now(), "member.removed", { member: member.name });
    await publish(tx, actor.organisationId, { kind: "members.changed" });
  });
}
