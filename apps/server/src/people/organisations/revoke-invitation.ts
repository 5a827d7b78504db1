import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";

/** Revokes an invitation, whose link stops working. Throws `invitation_not_found`. */
export async function revokeInvitation({ db, clock }: Deps, actor: Actor, invitationId: string): Promise<void> {
  const { organisationId } = actor;
  await db.transaction().execute(async (tx) => {
    const revoked = await tx
      .updateTable("invitations")
      .set({ status: "canceled" })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", invitationId)
      .where("status", "=", "pending")
      .returning(["email", "role"])
      .executeTakeFirst();
    if (!revoked) throw new Refusal("invitation_not_found");
    await recordAudit(tx, actor, clock.now(), "invitation.revoked", revoked);
    await publish(tx, organisationId, { kind: "invitations.changed" });
  });
}
