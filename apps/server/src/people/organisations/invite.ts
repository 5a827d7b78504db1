import type { Invite, NewInvitation } from "@lodge/contract/dashboard/access";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { oneLine, queueMail, sendsMail } from "../../platform/outbound/queue-mail.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { limitStrangerMail } from "../stranger-mails/limit-stranger-mail.ts";
import { hashLinkSecret, makeLinkSecret } from "./link-secret.ts";
import { toInvitation } from "./list-invitations.ts";
import { selectMembers } from "./list-members.ts";

const daysValid = 7;
const pendingMax = 500;

/**
 * Invites somebody by a link, which is only in the result. If e-mail is set up, a different link is mailed to the
 * address: using that one proves that the address is theirs, which an inviter cannot fake. Earlier links to the same
 * address stop working. Throws `forbidden`, `already_a_member`, `too_many` or `rate_limit_exceeded`.
 */
export async function invite(
  { db, clock, config, urls, announceJobs }: Deps,
  actor: Actor,
  { email, role }: Invite,
): Promise<NewInvitation> {
  if (role === "owner" && actor.role !== "owner") throw new Refusal("forbidden");
  const invited = email.toLowerCase();
  const secret = makeLinkSecret();
  const mailedSecret = sendsMail(config) ? makeLinkSecret() : null;
  const now = clock.now();
  const made = await db.transaction().execute(async (tx) => {
    const organisation = await tx
      .selectFrom("organisations")
      .select("name")
      .where("id", "=", actor.organisationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const member = await selectMembers(tx, actor.organisationId)
      .where("users.email", "=", invited)
      .where("users.provider_organisation_id", "is", null)
      .executeTakeFirst();
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
        secret_sha256: hashLinkSecret(secret),
        mailed_secret_sha256: mailedSecret === null ? null : hashLinkSecret(mailedSecret),
        inviter_id: actor.userId,
        created_at: now,
        expires_at: new Date(now.getTime() + daysValid * 86_400_000),
      })
      .returning(["id", "email", "role", "created_at", "expires_at"])
      .executeTakeFirstOrThrow();
    await recordAudit(tx, actor, now, "member.invited", { email: invited, role });
    await publish(tx, actor.organisationId, { kind: "invitations.changed" });
    const urlOf = (linkSecret: string) => `${urls.base}/invitations/${linkSecret}`;
    if (mailedSecret !== null) {
      await limitStrangerMail(tx, now, actor.organisationId, invited);
      const invites = oneLine(`${actor.name} invites you to ${organisation.name} on Lodge`);
      await queueMail(tx, config, {
        to: invited,
        subject: invites,
        text: `${invites}.\n\nTo join, open\n${urlOf(mailedSecret)}\n\nThe link works for ${daysValid} days. If you did not expect this invitation, ignore this message.\n`,
      });
    }
    return {
      invitation: toInvitation({ ...invitation, inviter_name: actor.name }),
      url: urlOf(secret),
      isMailed: mailedSecret !== null,
    };
  });
  announceJobs();
  return made;
}
