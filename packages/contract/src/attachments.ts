import Type from "typebox";
import { filenameLengthMax } from "./limits.ts";
import { apiToken, operation, pathId, pathTicket } from "./operation.ts";
import { NullableText, Text, Timestamp, Uuid } from "./text.ts";
import { Author } from "./tickets.ts";

/** A file on a ticket. */
export const Attachment = Type.Object(
  {
    id: Uuid("The attachment."),
    ticketId: Uuid("The ticket."),
    filename: Type.String({ description: "The name of the file." }),
    contentType: NullableText("The media type, as declared by the sender. Null if none was declared."),
    byteLength: Type.Integer({ description: "The number of bytes." }),
    sha256: Type.String({ description: "The SHA-256 of the bytes, in hexadecimal." }),
    author: Author,
    createdAt: Timestamp("When the file was attached."),
    url: Type.String({ description: "The URL of the file, for members who are signed in." }),
  },
  { description: "A file on a ticket." },
);
export type Attachment = Type.Static<typeof Attachment>;

/** The attachments of a ticket. */
export const AttachmentList = Type.Object(
  { attachments: Type.Array(Attachment, { description: "Oldest first, at most 100." }) },
  { description: "The attachments of the ticket." },
);
export type AttachmentList = Type.Static<typeof AttachmentList>;

/** How a file to attach is named. */
export const AttachmentQuery = Type.Object(
  { filename: Text({ minLength: 1, maxLength: filenameLengthMax, description: "The name of the file." }) },
  { additionalProperties: false },
);

/** The bytes of a file to attach. */
export const attachmentBody = {
  media: "application/octet-stream",
  description: "The bytes of the file, with its media type as `Content-Type`. At most 25 MiB.",
} as const;

/** The bytes of an attachment. */
export const attachmentBytes = {
  media: "application/octet-stream",
  description: "The bytes, as a download.",
  schema: Type.String({ contentMediaType: "application/octet-stream" }),
} as const;

const ticketPath = pathTicket("The ticket's id or number, ignoring case.");

export const attachFile = operation({
  id: "attachFile",
  method: "POST",
  path: "/api/v1/tickets/{ticket}/attachments",
  door: "api",
  credential: apiToken("tickets:edit"),
  params: ticketPath,
  query: AttachmentQuery,
  body: attachmentBody,
  answers: { 201: Attachment },
  errors: ["ticket_not_found", "file_too_large", "request_timeout", "too_many"],
  summary: "Attach a file to a ticket",
  description:
    "If the ticket already has a file with the same name and content, the request changes nothing, so retries are safe. A ticket can have at most 100 attachments. They are deleted with the ticket.",
});

export const listAttachments = operation({
  id: "listAttachments",
  method: "GET",
  path: "/api/v1/tickets/{ticket}/attachments",
  door: "api",
  credential: apiToken("tickets:read"),
  params: ticketPath,
  answers: { 200: AttachmentList },
  errors: ["ticket_not_found"],
  summary: "List the attachments of a ticket",
});

export const downloadAttachment = operation({
  id: "downloadAttachment",
  method: "GET",
  path: "/api/v1/attachments/{attachmentId}",
  door: "api",
  credential: apiToken("tickets:read"),
  params: pathId("attachmentId", "attachment_not_found", "The attachment."),
  answers: { 200: attachmentBytes },
  errors: ["attachment_not_found"],
  summary: "Download an attachment of a ticket",
});
