import type { IncomingMessage } from "node:http";
import type { Attachment } from "@lodge/contract/attachments";
import { ticketAttachmentBytesMax, ticketAttachmentsMax, ticketAttachmentsPerMinute } from "@lodge/contract/limits";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { storeFile } from "../../platform/http/store-file.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import { lockTicket } from "../tickets/lock-ticket.ts";
import { recordActivity } from "../tickets/record-activity.ts";
import { requireTicket } from "../tickets/require-ticket.ts";
import { noteTicketUpdate } from "../tickets/write-comment.ts";
import { attachmentColumns, toAttachment } from "./list-attachments.ts";

type File = { storeKey: string; byteLength: number; sha256: Buffer; filename: string; contentType: string | null };

/**
 * Attaches a request's body to a ticket of the organisation; a file with the same name and bytes is not attached again.
 * Throws `ticket_not_found`, `rate_limit_exceeded`, `unavailable` if a disk is full, `file_too_large`,
 * `request_timeout` or `too_many`.
 */
export async function attachFile(
  deps: Deps,
  attacher: Changer,
  ticketId: string,
  filename: string,
  source: IncomingMessage,
): Promise<Attachment> {
  const { organisationId } = attacher;
  const { id, boardId, columnId } = await requireTicket(deps.db, organisationId, ticketId);
  await limitRate(deps, `attachments:${attacher.token?.id ?? attacher.userId}`, ticketAttachmentsPerMinute);
  const contentType = source.headers["content-type"]?.slice(0, 200) ?? null;
  const rules = { bytesMax: ticketAttachmentBytesMax, tooLarge: () => new Refusal("file_too_large") };
  const { row, isKept } = await storeFile(deps, source, rules, (stored) =>
    deps.db.transaction().execute((tx) => keep(deps, tx, attacher, id, { ...stored, filename, contentType })),
  );
  if (isKept) deps.announce(organisationId, { kind: "ticket.changed", ticketId: id, boardId, columnId });
  return toAttachment(deps, row);
}

async function keep(deps: Deps, tx: Transaction, attacher: Changer, ticketId: string, file: File) {
  const { organisationId, token, name } = attacher;
  // One at a time, so that none is counted or written twice.
  const isThere = await lockTicket(tx, organisationId, ticketId);
  if (!isThere) throw new Refusal("ticket_not_found"); // deleted during the upload
  const there = await tx
    .selectFrom("ticket_attachments")
    .select([...attachmentColumns, "store_key"])
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .execute();
  const same = there.find(({ filename, sha256 }) => filename === file.filename && sha256.equals(file.sha256));
  if (same) return same;
  if (there.length >= ticketAttachmentsMax) throw new Refusal("too_many");
  await recordActivity(deps, tx, attacher, ticketId, { kind: "ticket.attached", filename: file.filename });
  await noteTicketUpdate(tx, organisationId, ticketId);
  return tx
    .insertInto("ticket_attachments")
    .values({
      organisation_id: organisationId,
      ticket_id: ticketId,
      filename: file.filename,
      content_type: file.contentType,
      byte_length: file.byteLength,
      sha256: file.sha256,
      store_key: file.storeKey,
      author_kind: token ? "token" : "person",
      author_name: name,
      created_at: deps.clock.now(),
    })
    .returning([...attachmentColumns, "store_key"])
    .executeTakeFirstOrThrow();
}
