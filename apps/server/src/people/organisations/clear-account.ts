import { type SqlBool, sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import { endSessions } from "../access/end-sessions.ts";
import { forgetAddresses } from "../access/limit-sign-in.ts";
import { removeSecondFactor } from "../access/second-factor.ts";
import { recordAudit } from "../audit/record-audit.ts";

/**
 * Whether the operator made somebody a member, as SQL on `users`: then nobody else created the account, or got into it
 * by a password link of an owner or admin.
 */
const isOfOperatorSql = `(users.handed_over_at is null and exists (
  select from members operated where operated.user_id = users.id and operated.joined_by in ('setup', 'apply')))`;

/**
 * Removes from an account everything that somebody else may have planted before its address was verified: sessions,
 * passkeys, second factors, links to identity providers and memberships. Memberships that only the operator or the
 * owner of the address can have created are kept (docs/decisions/sign-in.md). The caller must replace the password.
 * Locks the account until the transaction ends, after waiting for what its sessions were doing.
 */
export async function clearAccount(
  tx: Transaction,
  { userId, now, by }: { userId: string; now: Date; by: string },
): Promise<void> {
  // In the order in which sign-ins lock: what is in progress ends first, or then finds nothing.
  await endSessions(tx, userId); // waits for what they do under `holdSession`
  await tx.selectFrom("passwords").select("user_id").where("user_id", "=", userId).forUpdate().execute();
  await removeSecondFactor(tx, userId);
  await tx.selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
  await forgetAddresses(tx, userId);
  await tx.deleteFrom("identities").where("user_id", "=", userId).execute();
  await endSessions(tx, userId); // added by a passkey sign-in at the same time
  const removed = await tx
    .deleteFrom("members")
    .using("users")
    .whereRef("users.id", "=", "members.user_id")
    .where("members.user_id", "=", userId)
    .where(
      sql<SqlBool>`(joined_by in ('invitation', 'provider') or joined_by = 'creation' and not ${sql.raw(isOfOperatorSql)})`,
    )
    .returning(["members.organisation_id", "members.role", "users.name"])
    .execute();
  for (const { organisation_id: organisationId, role, name } of removed) {
    const others = await tx
      .selectFrom("members")
      .select("user_id")
      .where("organisation_id", "=", organisationId)
      .where("role", "=", "owner")
      .limit(1)
      .execute();
    const leavesNoOwner = role === "owner" && others.length === 0;
    const details = { member: name, by, ...(leavesNoOwner && { leavesNoOwner }) };
    await recordAudit(tx, { organisationId, userId: null, name: by }, now, "member.removed", details);
    await publish(tx, organisationId, { kind: "members.changed" });
  }
}

/**
 * Whether only the operator or the owner of its address can have accessed an account. Anybody can create one for any
 * address by an invitation of their own, and keep a password or a passkey for it, and so can anybody who uses an
 * admin's link.
 */
export async function isTrusted(tx: Transaction, userId: string): Promise<boolean> {
  const { rows } = await sql<{ trusted: boolean }>`
    select email_verified_at is not null or ${sql.raw(isOfOperatorSql)} or not (
      exists (select from passwords where user_id = users.id) or exists (select from members where user_id = users.id)) as trusted
    from users where id = ${userId}`.execute(tx);
  return rows[0]?.trusted ?? false;
}
