import type { Member, NewPasswordLink } from "@lodge/contract/dashboard/access";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashLinkSecret, makeLinkSecret } from "./link-secret.ts";
import { lockMember } from "./lock-member.ts";

/** The time that a link works. */
export const hoursValid = 24;

/**
 * Creates a link with which a member chooses a new password, for an owner or admin to pass on: owners for everybody,
 * admins only for members. People who are members of another organisation too are excluded: the link would give access
 * to that one. The same rules apply when the link is used (`isStillAllowedSql`). Throws `forbidden`,
 * `member_not_found`, `agent_is_fixed`, `account_of_provider` or `member_elsewhere`.
 */
export function makePasswordLink(deps: Deps, actor: Actor, userId: string): Promise<NewPasswordLink> {
  return deps.db.transaction().execute(async (tx) => {
    const member = await lockAccount(tx, actor, userId);
    const maker = await tx
      .selectFrom("members")
      .select("id")
      .where("organisation_id", "=", actor.organisationId)
      .where("user_id", "=", actor.userId)
      .executeTakeFirst();
    if (!maker) throw new Refusal("forbidden"); // removed meanwhile
    await recordAudit(tx, actor, deps.clock.now(), "password_link.made", { member: member.name });
    return writePasswordLink(tx, deps, member.userId, maker.id);
  });
}

/**
 * Locks and returns a member whose account the actor may change: owners everybody's, admins those of members, and
 * nobody those of people who belong to another organisation as well. Throws `forbidden`, `member_not_found`,
 * `agent_is_fixed`, `account_of_provider` or `member_elsewhere`.
 */
export async function lockAccount(tx: Transaction, actor: Actor, userId: string): Promise<Member> {
  const { member } = await lockMember(tx, actor, userId);
  if (member.isOfProvider) throw new Refusal("account_of_provider");
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

/**
 * Creates a person's password link, replacing an earlier one: in the name of the owner or admin whose membership is
 * given, or for a message to the person.
 */
export async function writePasswordLink(
  tx: Transaction,
  { clock, urls }: Deps,
  userId: string,
  makerId: string | null,
): Promise<NewPasswordLink> {
  const secret = makeLinkSecret();
  const now = clock.now();
  const link = {
    secret_sha256: hashLinkSecret(secret),
    maker_id: makerId,
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

/** Whether a link was mailed to its person, or its maker could still make it, as SQL on `password_links`. */
export const isStillAllowedSql = `(maker_id is null or exists (
    select from members maker
    join members theirs on theirs.organisation_id = maker.organisation_id and theirs.user_id = password_links.user_id
    where maker.id = maker_id and (maker.role = 'owner' or maker.role = 'admin' and theirs.role = 'member')
      and not exists (
        select from members
        where members.user_id = theirs.user_id and members.organisation_id <> theirs.organisation_id)))`;
