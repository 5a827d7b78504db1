import type { ChangeMember, Member } from "@lodge/contract/dashboard/access";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { lockMember } from "./lock-member.ts";

/** Changes the role of a member. Throws `member_not_found`, `agent_is_fixed`, `forbidden` or `last_owner`. */
export function changeMember(deps: Deps, actor: Actor, userId: string, { role }: ChangeMember): Promise<Member> {
  return deps.db.transaction().execute(async (tx) => {
    const { member, isLastOwner } = await lockMember(tx, actor, userId);
    if (role === "owner" && actor.role !== "owner") throw new Refusal("forbidden");
    if (isLastOwner && role !== "owner") throw new Refusal("last_owner");
    await tx
      .updateTable("members")
      .set({ role })
      .where("organisation_id", "=", actor.organisationId)
      .where("user_id", "=", userId)
      .execute();
    await recordAudit(tx, actor, deps.clock.now(), "member.changed", {
      member: member.name,
      from: member.role,
      to: role,
    });
    await publish(tx, actor.organisationId, { kind: "members.changed" });
    return { ...member, role };
  });
}
