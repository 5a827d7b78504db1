import Type from "typebox";
import { pathId } from "../operation.ts";
import { Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for images in descriptions and comments. Open to every role. */

/** The accepted media types of images, detected from their first bytes. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;

/** A stored image for the texts of its ticket. */
export const StoredImage = Type.Object(
  {
    id: Uuid("The image."),
    url: Type.String({
      description: "The path of the image, relative to the dashboard's base URL. Use it in a text as `![…](url)`.",
    }),
    contentType: Type.Enum([...imageTypes], { description: "The media type, detected from the first bytes." }),
    byteLength: Type.Integer({ description: "The number of bytes." }),
  },
  { description: "An image shown in a ticket's description or comments." },
);
export type StoredImage = Type.Static<typeof StoredImage>;

export const storeImage = dashboard({
  id: "storeImage",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/images",
  role: "member",
  params: pathId("ticketId", "ticket_not_found", "The ticket whose texts show the image."),
  body: { media: "image/*", description: "The bytes of a PNG, JPEG, GIF, WebP or AVIF image, at most 10 MiB." },
  answers: { 201: StoredImage },
  errors: ["ticket_not_found", "image_too_large", "not_an_image", "request_timeout"],
  summary: "Upload an image for a description or comment",
  description:
    "Lodge deletes the image when no text of the ticket shows it, but no earlier than a week after the upload. Earlier versions of the description that Lodge still keeps count as texts of the ticket. At most 60 uploads per minute per person.",
});

export const storeDraftImage = dashboard({
  id: "storeDraftImage",
  method: "POST",
  path: "/api/dashboard/images",
  role: "member",
  body: storeImage.body,
  answers: { 201: StoredImage },
  errors: ["image_too_large", "not_an_image", "request_timeout"],
  summary: "Upload an image for a new ticket",
  description:
    "The image becomes part of the ticket that the same person files (`createTicket`) with the image in its description. Lodge deletes it if the person does not file such a ticket within a week. At most 60 uploads per minute per person, together with `storeImage`.",
});

export const getImage = dashboard({
  id: "getImage",
  method: "GET",
  path: "/api/dashboard/images/{imageId}",
  role: "member",
  params: pathId("imageId", "image_not_found", "The image."),
  answers: {
    200: {
      media: "image/*",
      description: "The bytes of the image.",
      schema: Type.String({ contentMediaType: "image/*" }),
    },
  },
  errors: ["image_not_found"],
  summary: "Get an image of a description or comment",
});
