import { createHash, randomBytes } from "node:crypto";
import type { Invitation, InvitationList, Invite, NewInvitation, Role } from "@lodge/contract/dashboard/access";
import type { Actor } from "../access/find-actor.ts";
import { base62 } from "../platform/base62.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { publish } from "../platform/publish.ts";
import { selectMembers } from "./list-members.ts";

const daysValid = 7;
const pendingMax = 500;

/** What is kept of the secret in an invitation's link. */
export const hashInvitationSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/**
 * Invites somebody by a link, which is in the result and nowhere else; an earlier one to the same address stops working.
 * Throws `forbidden`, `already_a_member` or `too_many`.
 */
export function invite({ db, clock, urls }: Deps, actor: Actor, { email, role }: Invite): Promise<NewInvitation> {
  if (role === "owner" && actor.role !== "owner") throw new Refusal("forbidden");
  const invited = email.toLowerCase();
  const secret = base62(randomBytes(32), 43);
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    await tx.selectFrom("organisations").select("id").where("id", "=", actor.organisationId).forNoKeyUpdate().execute();
    const member = await selectMembers(tx, actor.organisationId).where("users.email", "=", invited).executeTakeFirst();
    if (member) throw new Refusal("already_a_member");
    await tx
      .updateTable("invitations")
      .set({ status: "canceled" })
      .where("organisation_id", "=", actor.organisationId)
      .where("email", "=", invited)
      .where("status", "=", "pending")
      .execute();
    const { pending } = await tx
      .selectFrom("invitations")
      .select(({ fn }) => fn.countAll<number>().as("pending"))
      .where("organisation_id", "=", actor.organisationId)
      .where("status", "=", "pending")
      .executeTakeFirstOrThrow();
    if (pending >= pendingMax) throw new Refusal("too_many");
    const invitation = await tx
      .insertInto("invitations")
      .values({
        organisation_id: actor.organisationId,
        email: invited,
        role,
        secret_sha256: hashInvitationSecret(secret),
        inviter_id: actor.userId,
        created_at: now,
        expires_at: new Date(now.getTime() + daysValid * 86_400_000),
      })
      .returning(["id", "email", "role", "created_at", "expires_at"])
      .executeTakeFirstOrThrow();
    await publish(tx, actor.organisationId, { kind: "invitations.changed" });
    return {
      invitation: toInvitation({ ...invitation, inviter_name: actor.name }),
      url: `${urls.base}/invitations/${secret}`,
    };
  });
}

/** The invitations of an organisation that wait to be accepted, the newest first; expired ones among them. */
export async function listInvitations({ db }: Deps, { organisationId }: Actor): Promise<InvitationList> {
  const rows = await db
    .selectFrom("invitations")
    .innerJoin("users", "users.id", "invitations.inviter_id")
    .select(["invitations.id", "invitations.email", "invitations.role"])
    .select(["invitations.created_at", "invitations.expires_at", "users.name as inviter_name"])
    .where("invitations.organisation_id", "=", organisationId)
    .where("invitations.status", "=", "pending")
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .execute();
  return { invitations: rows.map(toInvitation) };
}

/** Makes an invitation's link useless. Throws `invitation_not_found`. */
export async function revokeInvitation({ db }: Deps, { organisationId }: Actor, invitationId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const revoked = await tx
      .updateTable("invitations")
      .set({ status: "canceled" })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", invitationId)
      .where("status", "=", "pending")
      .returning("id")
      .executeTakeFirst();
    if (!revoked) throw new Refusal("invitation_not_found");
    await publish(tx, organisationId, { kind: "invitations.changed" });
  });
}

const toInvitation = (row: {
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
