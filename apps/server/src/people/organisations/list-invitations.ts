import type { Invitation, InvitationList, Role } from "@lodge/contract/dashboard/access";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { isStillInvited } from "./find-invitation.ts";

/**
 * The pending invitations of an organisation, the newest first, including expired ones, but not those whose inviter may
 * no longer invite to that role.
 */
export async function listInvitations({ db }: Deps, { organisationId }: Actor): Promise<InvitationList> {
  const rows = await db
    .selectFrom("invitations")
    .innerJoin("users", "users.id", "invitations.inviter_id")
    .select(["invitations.id", "invitations.email", "invitations.role"])
    .select(["invitations.created_at", "invitations.expires_at", "users.name as inviter_name"])
    .where("invitations.organisation_id", "=", organisationId)
    .where("invitations.status", "=", "pending")
    .where(isStillInvited)
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .execute();
  return { invitations: rows.map(toInvitation) };
}

/** Converts a row of `invitations`, with the inviter's name, to the contract's form. */
export const toInvitation = (row: {
  id: string;
  email: string;
  role: string;
  inviter_name: string;
  created_at: Date;
  expires_at: Date;
}): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role as Role,
  invitedBy: row.inviter_name,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});
