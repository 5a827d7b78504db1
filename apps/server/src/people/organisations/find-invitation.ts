import type { InvitationLink, Role } from "@lodge/contract/dashboard/access";
import { type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { hashLinkSecret } from "./link-secret.ts";

/** The invitation of a link. Throws `invitation_not_found`. */
export async function findInvitation(deps: Deps, secret: string): Promise<InvitationLink> {
  const invitation = await selectInvitation(deps, deps.db, secret).executeTakeFirst();
  if (!invitation) throw new Refusal("invitation_not_found");
  return {
    organisationName: invitation.name,
    email: invitation.email,
    role: invitation.role as Role,
    signInPath: invitation.is_required === null ? null : `/sign-in/${invitation.slug}`,
    needsProvider: (invitation.is_required ?? false) && invitation.role !== "owner",
  };
}

/**
 * A query for the invitation of a link, if its inviter may still invite to that role. `is_mailed` says whether the link
 * is the one in the e-mail, which only the owner of the address has read.
 */
export const selectInvitation = ({ clock }: Deps, db: Database, secret: string) =>
  db
    .selectFrom("invitations")
    .innerJoin("organisations", "organisations.id", "invitations.organisation_id")
    .select(["invitations.organisation_id", "invitations.id", "invitations.email", "invitations.role"])
    .leftJoin("identity_providers", "identity_providers.organisation_id", "organisations.id")
    .select(["organisations.name", "organisations.slug", "identity_providers.is_required"])
    .select(sql<SqlBool>`coalesce(invitations.mailed_secret_sha256 = ${hashLinkSecret(secret)}, false)`.as("is_mailed"))
    .where(({ or, eb }) =>
      or([
        eb("invitations.secret_sha256", "=", hashLinkSecret(secret)),
        eb("invitations.mailed_secret_sha256", "=", hashLinkSecret(secret)),
      ]),
    )
    .where("invitations.status", "=", "pending")
    .where("invitations.expires_at", ">", clock.now())
    .where(isStillInvited);

/**
 * Whether the inviter could still send the invitation, as SQL on `invitations`: otherwise a removed member could return
 * as somebody else.
 */
export const isStillInvited = sql<boolean>`exists (
  select from members inviter
  where inviter.organisation_id = invitations.organisation_id and inviter.user_id = invitations.inviter_id
    and (inviter.role = 'owner' or inviter.role = 'admin' and invitations.role <> 'owner'))`;

/**
 * Whether the invited person must sign in to accept. Also true for members elsewhere who never had a password: if the
 * holder of this link could set one, the link would give access to the other organisation.
 */
export async function hasAccount(db: Database, email: string): Promise<boolean> {
  const user = await db
    .selectFrom("users")
    .select("id")
    .where(isPasswordAccountOf(email))
    .where(({ exists, or, selectFrom }) =>
      or([
        exists(selectFrom("passwords").select("passwords.user_id").whereRef("passwords.user_id", "=", "users.id")),
        exists(selectFrom("members").select("members.id").whereRef("members.user_id", "=", "users.id")),
      ]),
    )
    .executeTakeFirst();
  return user !== undefined;
}
