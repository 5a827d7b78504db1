import Type from "typebox";
import { pathId } from "../operation.ts";
import { Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: images that descriptions and comments show. All of it is for every role. */

/** The media types of images that are taken, as their first bytes tell. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;

/** An image that is stored, for texts of its ticket to show. */
export const StoredImage = Type.Object(
  {
    id: Uuid("The image."),
    url: Type.String({ description: "Its path at the dashboard's address: what a text shows as `![…](url)`." }),
    contentType: Type.Enum([...imageTypes], { description: "What its first bytes say that it is." }),
    byteLength: Type.Integer({ description: "How many bytes it has." }),
  },
  { description: "An image that texts of its ticket can show." },
);
export type StoredImage = Type.Static<typeof StoredImage>;

export const storeImage = dashboard({
  id: "storeImage",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/images",
  role: "member",
  params: pathId("ticketId", "ticket_not_found", "The ticket whose texts are to show it."),
  body: { media: "image/*", description: "The bytes of a PNG, JPEG, GIF, WebP or AVIF image, at most 10 MiB." },
  answers: { 201: StoredImage },
  errors: ["ticket_not_found", "image_too_large", "not_an_image", "request_timeout"],
  summary: "Store an image for the description or a comment",
  description:
    "It is deleted a week later unless the description or a comment of the ticket shows it, and once neither does any more. At most 60 a minute for a person.",
});

export const storeDraftImage = dashboard({
  id: "storeDraftImage",
  method: "POST",
  path: "/api/dashboard/images",
  role: "member",
  body: storeImage.body,
  answers: { 201: StoredImage },
  errors: ["image_too_large", "not_an_image", "request_timeout"],
  summary: "Store an image for a card that is still being written",
  description:
    "It becomes the ticket's that the same person files (`createTicket`) with a description that shows it, and is deleted unless that is done within a week. At most 60 a minute for a person, with those of `storeImage`.",
});

export const getImage = dashboard({
  id: "getImage",
  method: "GET",
  path: "/api/dashboard/images/{imageId}",
  role: "member",
  params: pathId("imageId", "image_not_found", "The image."),
  answers: {
    200: { media: "image/*", description: "Its bytes.", schema: Type.String({ contentMediaType: "image/*" }) },
  },
  errors: ["image_not_found"],
  summary: "Show an image of a description or comment",
});
