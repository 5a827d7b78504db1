import type { Role } from "@lodge/contract/dashboard/access";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import { Refusal } from "../../platform/errors.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { type Identity, linkIdentity } from "./identities.ts";

/** The person that an identity provider vouches for. */
export type Vouched = Omit<Identity, "organisationId"> & {
  /** An address that the provider has verified and may vouch for, in lower case; null if there is none. */
  email: string | null;
  name: string | null;
};

/**
 * Makes the person whom the organisation's identity provider vouches for a member with this role, and returns the
 * account: the one that the identity is linked to; else the password account of the address, if this organisation
 * itself invited it; else a new account of this organisation only, even if others have the address. The last owner
 * keeps that role. Throws `email_not_vouched_for`.
 */
export async function joinByProvider(
  tx: Transaction,
  now: Date,
  organisationId: string,
  { email, name, ...subject }: Vouched,
  role: Role,
): Promise<string> {
  if (email === null) throw new Refusal("email_not_vouched_for");
  const identity = { organisationId, ...subject };
  // Of two concurrent sign-ins the second finds what the first created; and of two owners one stays.
  await tx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  const linked = await findLinked(tx, identity);
  const userId =
    linked ?? (await findInvited(tx, identity, email)) ?? (await makeAccount(tx, organisationId, email, name ?? email));
  if (!linked) await linkIdentity(tx, identity, userId, now);
  if (name !== null) await renameOwn(tx, organisationId, userId, name);
  const membership = await tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "user_id")
    .select(["role", "users.name"])
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const who = { organisationId, userId, name: membership?.name ?? name ?? email };
  if (!membership) {
    const values = { organisation_id: organisationId, user_id: userId, role, joined_by: "provider" };
    await tx.insertInto("members").values(values).execute();
    await recordAudit(tx, who, now, "member.joined", { member: who.name, role, by: "identity provider" });
  } else if (membership.role !== role && !(await isLastOwner(tx, organisationId, userId))) {
    await tx
      .updateTable("members")
      .set({ role })
      .where("organisation_id", "=", organisationId)
      .where("user_id", "=", userId)
      .execute();
    const details = { member: who.name, from: membership.role, to: role, by: "identity provider" };
    await recordAudit(tx, who, now, "member.changed", details);
  }
  const { numUpdatedRows } = await tx
    .updateTable("invitations")
    .set({ status: "accepted" })
    .where("organisation_id", "=", organisationId)
    .where("status", "=", "pending")
    .where("email", "=", email)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await publish(tx, organisationId, { kind: "invitations.changed" });
  await publish(tx, organisationId, { kind: "members.changed" });
  return userId;
}

/**
 * The account that an identity is linked to: one of the provider's own, or that of a member. People who left or were
 * removed do not rejoin with their account elsewhere.
 */
async function findLinked(tx: Transaction, identity: Identity): Promise<string | undefined> {
  const linked = await tx
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .leftJoin("members", (join) =>
      join
        .onRef("members.user_id", "=", "identities.user_id")
        .onRef("members.organisation_id", "=", "identities.organisation_id"),
    )
    .select("identities.user_id")
    .where("identities.organisation_id", "=", identity.organisationId)
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .where(({ or, eb }) =>
      or([eb("users.provider_organisation_id", "=", identity.organisationId), eb("members.user_id", "is not", null)]),
    )
    .executeTakeFirst();
  return linked?.user_id;
}

/**
 * The password account of an address, if it became a member by this organisation's own invitation or by the operator.
 * Excluded are accounts that their owner unlinked, and those linked to another identity of the provider: an address
 * that passes to somebody else does not pass on the account. Throws `email_not_vouched_for` for an organisation's
 * agent.
 */
async function findInvited(
  tx: Transaction,
  { organisationId, issuer }: Identity,
  email: string,
): Promise<string | undefined> {
  const account = await tx
    .selectFrom("users")
    .leftJoin("organisations", "agent_user_id", "users.id")
    .select(["users.id", "organisations.id as agent_of"])
    .where(isPasswordAccountOf(email))
    .executeTakeFirst();
  if (account?.agent_of) throw new Refusal("email_not_vouched_for");
  const invited =
    account &&
    (await tx
      .selectFrom("members")
      .select("user_id")
      .where("organisation_id", "=", organisationId)
      .where("user_id", "=", account.id)
      .where("joined_by", "in", ["invitation", "mailed_invitation", "apply"])
      .where("is_unlinked", "=", false)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("identities")
              .select("subject")
              .whereRef("identities.user_id", "=", "members.user_id")
              .where("identities.organisation_id", "=", organisationId)
              .where("issuer", "=", issuer),
          ),
        ),
      )
      .executeTakeFirst());
  return invited?.user_id;
}

async function makeAccount(tx: Transaction, organisationId: string, email: string, name: string): Promise<string> {
  const { id } = await tx
    .insertInto("users")
    .values({ name, email, provider_organisation_id: organisationId })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Updates the name of accounts that the provider created; other accounts keep their owners' names. */
async function renameOwn(tx: Transaction, organisationId: string, userId: string, name: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ name })
    .where("id", "=", userId)
    .where("provider_organisation_id", "=", organisationId)
    .where("name", "<>", name)
    .execute();
}

async function isLastOwner(tx: Transaction, organisationId: string, userId: string): Promise<boolean> {
  const owners = await tx
    .selectFrom("members")
    .select("user_id")
    .where("organisation_id", "=", organisationId)
    .where("role", "=", "owner")
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}
