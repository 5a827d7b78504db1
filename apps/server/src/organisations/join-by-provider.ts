import type { Role } from "@lodge/contract/dashboard/access";
import { recordAudit } from "../audit/record-audit.ts";
import type { Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import { Refusal } from "../platform/errors.ts";

/** Whom an identity provider vouches for. */
export type Vouched = {
  /** Its own name for the person, unique for ever. */
  account: string;
  /** An address that it has verified and may vouch for; null where there is none. */
  email: string | null;
  name: string | null;
};

const providerIdOf = (organisationId: string) => `openid:${organisationId}`;

/**
 * Makes whom the organisation's identity provider vouches for a member with this role, and returns who it is: whom it has
 * signed in before, else who has the e-mail address, else somebody new. It makes nobody a member whose account belongs to
 * other organisations: that person accepts an invitation first. The last owner stays one. Throws `email_not_vouched_for`
 * or `invitation_needed`.
 */
export async function joinByProvider(
  tx: Transaction,
  now: Date,
  organisationId: string,
  vouched: Vouched,
  role: Role,
): Promise<string> {
  const { email } = vouched;
  if (email === null) throw new Refusal("email_not_vouched_for");
  // Of two sign-ins at the same time the second finds what the first has made; and of two owners one stays.
  await tx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  const userId =
    (await findKnown(tx, organisationId, vouched)) ?? (await link(tx, organisationId, { ...vouched, email }));
  const memberships = await tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "user_id")
    .select(["organisation_id", "role", "users.name"])
    .where("user_id", "=", userId)
    .execute();
  const membership = memberships.find((each) => each.organisation_id === organisationId);
  if (!membership && memberships.length > 0) throw new Refusal("invitation_needed");
  if (vouched.name !== null && memberships.length < 2) {
    await tx.updateTable("users").set({ name: vouched.name }).where("id", "=", userId).execute();
  }
  const who = { organisationId, userId, name: vouched.name ?? membership?.name ?? email };
  if (!membership) {
    await tx.insertInto("members").values({ organisation_id: organisationId, user_id: userId, role }).execute();
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
    .where("email", "=", ({ selectFrom }) => selectFrom("users").select("email").where("id", "=", userId))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await publish(tx, organisationId, { kind: "invitations.changed" });
  await publish(tx, organisationId, { kind: "members.changed" });
  return userId;
}

/** Forgets whom the identity provider of an organisation has signed in; the people stay. */
export async function forgetProvider(tx: Transaction, organisationId: string): Promise<void> {
  await tx.deleteFrom("accounts").where("provider_id", "=", providerIdOf(organisationId)).execute();
}

async function findKnown(tx: Transaction, organisationId: string, { account }: Vouched): Promise<string | undefined> {
  const known = await tx
    .selectFrom("accounts")
    .select("user_id")
    .where("provider_id", "=", providerIdOf(organisationId))
    .where("account_id", "=", account)
    .executeTakeFirst();
  return known?.user_id;
}

/** Has the provider's account be of whoever has its e-mail address. */
async function link(
  tx: Transaction,
  organisationId: string,
  { account, email, name }: Vouched & { email: string },
): Promise<string> {
  const made = await tx
    .insertInto("users")
    .values({ name: name ?? email, email, email_verified: true })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  const userId = made?.id ?? (await findPerson(tx, email));
  const values = { user_id: userId, provider_id: providerIdOf(organisationId), account_id: account };
  await tx.insertInto("accounts").values(values).execute();
  return userId;
}

/** Throws `email_not_vouched_for` for the agent of an organisation, which nobody is. */
async function findPerson(tx: Transaction, email: string): Promise<string> {
  const { id, agent_of } = await tx
    .selectFrom("users")
    .leftJoin("organisations", "agent_user_id", "users.id")
    .select(["users.id", "organisations.id as agent_of"])
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  if (agent_of) throw new Refusal("email_not_vouched_for");
  return id;
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
