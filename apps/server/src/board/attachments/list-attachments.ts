import type { Attachment, AttachmentList } from "@lodge/contract/attachments";
import { getTicketAttachment } from "@lodge/contract/dashboard/attachments";
import type { Deps } from "../../platform/deps.ts";
import { requireTicket } from "../tickets/require-ticket.ts";

export const attachmentColumns = [
  ...(["id", "ticket_id", "filename", "content_type", "byte_length", "sha256"] as const),
  ...(["author_kind", "author_name", "created_at"] as const),
] as const;
type Row = {
  id: string;
  ticket_id: string | null;
  filename: string;
  content_type: string | null;
  byte_length: number;
  sha256: Buffer;
  author_kind: string;
  author_name: string;
  created_at: Date;
};

/** The attachments of a ticket of the organisation, the oldest first. Throws `ticket_not_found`. */
export async function listAttachments(deps: Deps, organisationId: string, ticketId: string): Promise<AttachmentList> {
  await requireTicket(deps.db, organisationId, ticketId);
  const rows = await deps.db
    .selectFrom("ticket_attachments")
    .select(attachmentColumns)
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .orderBy("id")
    .execute();
  return { attachments: rows.map((row) => toAttachment(deps, row)) };
}

/** Converts a row to the contract's form. */
export const toAttachment = ({ urls }: Pick<Deps, "urls">, row: Row): Attachment => ({
  id: row.id,
  ticketId: row.ticket_id ?? "",
  filename: row.filename,
  contentType: row.content_type,
  byteLength: row.byte_length,
  sha256: row.sha256.toString("hex"),
  author: { kind: row.author_kind as Attachment["author"]["kind"], name: row.author_name },
  createdAt: row.created_at.toISOString(),
  url: `${urls.base}${getTicketAttachment.path.replace("{attachmentId}", row.id)}`,
});
