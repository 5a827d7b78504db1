import type { ChangeMember, Member } from "@lodge/contract/dashboard/access";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { publish } from "../platform/publish.ts";
import { selectMembers, toMember } from "./list-members.ts";

/** Gives a member another role. Throws `member_not_found`, `agent_is_fixed`, `forbidden` or `last_owner`. */
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
    await publish(tx, actor.organisationId, { kind: "members.changed" });
    return { ...member, role };
  });
}

/** Takes a member out of the organisation, or lets one leave. Throws what `changeMember` does. */
export async function removeMember(deps: Deps, actor: Actor, userId: string): Promise<void> {
  if (actor.role === "member" && userId.toLowerCase() !== actor.userId) throw new Refusal("forbidden");
  await deps.db.transaction().execute(async (tx) => {
    const { isLastOwner } = await lockMember(tx, actor, userId);
    if (isLastOwner) throw new Refusal("last_owner");
    await tx
      .deleteFrom("members")
      .where("organisation_id", "=", actor.organisationId)
      .where("user_id", "=", userId)
      .execute();
    await publish(tx, actor.organisationId, { kind: "members.changed" });
  });
}

/** The organisation is locked, so that of two owners who remove each other one stays. */
async function lockMember(tx: Transaction, actor: Actor, userId: string) {
  await tx.selectFrom("organisations").select("id").where("id", "=", actor.organisationId).forNoKeyUpdate().execute();
  const row = await selectMembers(tx, actor.organisationId).where("members.user_id", "=", userId).executeTakeFirst();
  if (!row) throw new Refusal("member_not_found");
  const member = toMember(row);
  if (member.isAgent) throw new Refusal("agent_is_fixed");
  if (member.role !== "owner") return { member, isLastOwner: false };
  if (actor.role !== "owner") throw new Refusal("forbidden");
  const otherOwner = await selectMembers(tx, actor.organisationId)
    .where("members.user_id", "<>", userId)
    .where("members.role", "=", "owner")
    .limit(1)
    .executeTakeFirst();
  return { member, isLastOwner: otherOwner === undefined };
}
