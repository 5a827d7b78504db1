import type { Member, NewPasswordLink } from "@lodge/contract/dashboard/access";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { hashLinkSecret, makeLinkSecret } from "./link-secret.ts";
import { lockMember } from "./lock-member.ts";

/** How long a link works. */
export const hoursValid = 24;

/**
 * Makes a link by which a member chooses a new password, for an owner or admin to hand over: an owner for everybody, an
 * admin for members alone. Who belongs to another organisation as well would be let into that one too. Throws `forbidden`,
 * `member_not_found`, `agent_is_fixed` or `member_elsewhere`.
 */
export function makePasswordLink(deps: Deps, actor: Actor, userId: string): Promise<NewPasswordLink> {
  return deps.db.transaction().execute(async (tx) => {
    return writePasswordLink(tx, deps, (await lockAccount(tx, actor, userId)).userId);
  });
}

/**
 * A member whose account the actor may change: an owner everybody's, an admin that of members alone, and nobody that of
 * who belongs to another organisation as well. Throws `forbidden`, `member_not_found`, `agent_is_fixed` or
 * `member_elsewhere`.
 */
export async function lockAccount(tx: Transaction, actor: Actor, userId: string): Promise<Member> {
  const { member } = await lockMember(tx, actor, userId);
  if (actor.role !== "owner" && member.role !== "member") throw new Refusal("forbidden");
  const elsewhere = await tx
    .selectFrom("members")
    .select("id")
    .where("user_id", "=", member.userId)
    .where("organisation_id", "<>", actor.organisationId)
    .executeTakeFirst();
  if (elsewhere) throw new Refusal("member_elsewhere");
  return member;
}

/** Makes a person's link, which takes the place of an earlier one. */
export async function writePasswordLink(
  tx: Transaction,
  { clock, urls }: Deps,
  userId: string,
): Promise<NewPasswordLink> {
  const secret = makeLinkSecret();
  const now = clock.now();
  const link = {
    secret_sha256: hashLinkSecret(secret),
    created_at: now,
    expires_at: new Date(now.getTime() + hoursValid * 3_600_000),
  };
  await tx
    .insertInto("password_links")
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(link))
    .execute();
  return { url: `${urls.base}/passwords/${secret}`, expiresAt: link.expires_at.toISOString() };
}
