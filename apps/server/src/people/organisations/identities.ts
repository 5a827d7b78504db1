import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** A person as an identity provider identifies them, in the one organisation of the provider. */
export type Identity = { organisationId: string; issuer: string; subject: string };

/** Links an identity to this account, in place of another identity of the same issuer. */
export async function linkIdentity(
  tx: Transaction,
  { organisationId, issuer, subject }: Identity,
  userId: string,
  now: Date,
): Promise<void> {
  await tx
    .deleteFrom("identities")
    .where("organisation_id", "=", organisationId)
    .where("issuer", "=", issuer)
    .where("user_id", "=", userId)
    .execute();
  await tx
    .insertInto("identities")
    .values({ organisation_id: organisationId, issuer, subject, user_id: userId, linked_at: now })
    .onConflict((conflict) =>
      conflict.columns(["organisation_id", "issuer", "subject"]).doUpdateSet({ user_id: userId, linked_at: now }),
    )
    .execute();
}

/**
 * The same for a signed-in member whom the provider has authenticated. Throws `provider_not_found` for somebody who is
 * no longer a member, and `identity_taken` if the identity is linked to another member.
 */
export async function linkOwnIdentity(tx: Transaction, identity: Identity, userId: string, now: Date): Promise<void> {
  const { organisationId } = identity;
  await tx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  const linked = await tx
    .selectFrom("identities")
    .innerJoin("members", (join) =>
      join
        .onRef("members.user_id", "=", "identities.user_id")
        .onRef("members.organisation_id", "=", "identities.organisation_id"),
    )
    .select("members.user_id")
    .where("identities.organisation_id", "=", organisationId)
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .where("members.user_id", "<>", userId)
    .executeTakeFirst();
  if (linked) throw new Refusal("identity_taken");
  const { numUpdatedRows } = await tx
    .updateTable("members")
    .set({ is_unlinked: false })
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Refusal("provider_not_found");
  await linkIdentity(tx, identity, userId, now);
}

/** Unlinks an organisation's identities from this account, and prevents linking by its address. */
export async function unlinkIdentities(tx: Transaction, organisationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("identities")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .execute();
  await tx
    .updateTable("members")
    .set({ is_unlinked: true })
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .execute();
}
