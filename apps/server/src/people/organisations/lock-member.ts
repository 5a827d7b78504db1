import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { selectMembers, toMember } from "./list-members.ts";

/**
 * Locks and returns a member that the actor may change, and whether it is the last owner. The organisation is locked,
 * so that of two owners who remove each other one stays. Throws `member_not_found`, `agent_is_fixed` or `forbidden`.
 */
export async function lockMember(tx: Transaction, actor: Actor, userId: string) {
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
