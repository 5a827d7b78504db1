import { Attachment, AttachmentList, AttachmentQuery, attachmentBody, attachmentBytes } from "../attachments.ts";
import { noContent, pathId } from "../operation.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for files on tickets. Open to every role. */

const attachmentPath = pathId("attachmentId", "attachment_not_found", "The attachment.");
const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

export const listTicketAttachments = dashboard({
  id: "listTicketAttachments",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/attachments",
  role: "member",
  params: ticketPath,
  answers: { 200: AttachmentList },
  errors: ["ticket_not_found"],
  summary: "List the attachments of a ticket",
  staleAfter: ["ticket.changed"],
});

export const attachTicketFile = dashboard({
  id: "attachTicketFile",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/attachments",
  role: "member",
  params: ticketPath,
  query: AttachmentQuery,
  body: attachmentBody,
  answers: { 201: Attachment },
  errors: ["ticket_not_found", "file_too_large", "request_timeout", "too_many"],
  summary: "Attach a file to a ticket",
});

export const getTicketAttachment = dashboard({
  id: "getTicketAttachment",
  method: "GET",
  path: "/api/dashboard/attachments/{attachmentId}",
  role: "member",
  params: attachmentPath,
  answers: { 200: attachmentBytes },
  errors: ["attachment_not_found"],
  summary: "Download an attachment of a ticket",
});

export const deleteTicketAttachment = dashboard({
  id: "deleteTicketAttachment",
  method: "DELETE",
  path: "/api/dashboard/attachments/{attachmentId}",
  role: "member",
  params: attachmentPath,
  answers: noContent,
  errors: ["attachment_not_found"],
  summary: "Delete an attachment of a ticket",
  description: "Lodge removes the file from its storage within about an hour.",
});
