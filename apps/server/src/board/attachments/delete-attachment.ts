import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { requireTicket } from "../tickets/require-ticket.ts";

/** Takes an attachment from its ticket; a sweep deletes the file. Throws `attachment_not_found`. */
export async function deleteAttachment(deps: Deps, { organisationId }: Actor, attachmentId: string): Promise<void> {
  const found = await deps.db
    .selectFrom("ticket_attachments")
    .select("ticket_id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", attachmentId)
    .executeTakeFirst();
  if (!found?.ticket_id) throw new Refusal("attachment_not_found");
  const { id: ticketId, boardId, columnId } = await requireTicket(deps.db, organisationId, found.ticket_id);
  await deps.db
    .updateTable("ticket_attachments")
    .set({ ticket_id: null })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", attachmentId)
    .execute();
  deps.announce(organisationId, { kind: "ticket.changed", ticketId, boardId, columnId });
}
