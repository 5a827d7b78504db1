import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { lockTicket } from "../tickets/lock-ticket.ts";
import { recordActivity } from "../tickets/record-activity.ts";
import { requireTicket } from "../tickets/require-ticket.ts";
import { noteTicketUpdate } from "../tickets/write-comment.ts";

/** Removes an attachment from its ticket; a sweep deletes the file. Throws `attachment_not_found`. */
export async function deleteAttachment(deps: Deps, actor: Actor, attachmentId: string): Promise<void> {
  const { organisationId } = actor;
  const place = await deps.db.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom("ticket_attachments")
      .select("ticket_id")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", attachmentId)
      .executeTakeFirst();
    const ticketId = found?.ticket_id;
    // The ticket is locked first, as when it is deleted.
    if (!ticketId || !(await lockTicket(tx, organisationId, ticketId))) throw new Refusal("attachment_not_found");
    const taken = await tx
      .updateTable("ticket_attachments")
      .set({ ticket_id: null })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", attachmentId)
      .where("ticket_id", "=", ticketId)
      .returning("filename")
      .executeTakeFirst();
    if (!taken) throw new Refusal("attachment_not_found");
    await recordActivity(deps, tx, actor, ticketId, { kind: "ticket.detached", filename: taken.filename });
    await noteTicketUpdate(tx, organisationId, ticketId);
    const { boardId, columnId } = await requireTicket(tx, organisationId, ticketId);
    return { ticketId, boardId, columnId };
  });
  deps.announce(organisationId, { kind: "ticket.changed", ...place });
}
