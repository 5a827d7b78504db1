import type { IncomingMessage } from "node:http";
import { getImage, type StoredImage } from "@lodge/contract/dashboard/images";
import { imageBytesMax, imagesPerMinute } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { storeFile } from "../../platform/http/store-file.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import { imageTypeOf, startBytes } from "./image-type.ts";

/**
 * Stores a request's body as an image, for texts of a ticket to show. Throws `ticket_not_found`, and the errors of
 * `storeDraftImage`.
 */
export async function storeImage(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  source: IncomingMessage,
): Promise<StoredImage> {
  const ticket = await deps.db
    .selectFrom("tickets")
    .select("id")
    .where("organisation_id", "=", actor.organisationId)
    .where("id", "=", ticketId)
    .where("column_id", "is not", null)
    .executeTakeFirst();
  if (!ticket) throw new Refusal("ticket_not_found");
  return storeFor(deps, actor, { ticket_id: ticket.id }, source);
}

/**
 * Stores a request's body as an image for the person's next ticket whose description shows it (`claimImages`). Throws
 * `rate_limit_exceeded`, `unavailable` if a disk is full, `image_too_large`, `not_an_image` or `request_timeout`.
 */
export const storeDraftImage = (deps: Deps, actor: Actor, source: IncomingMessage): Promise<StoredImage> =>
  storeFor(deps, actor, { drafted_by: actor.userId }, source);

/** Streams the bytes into the store. */
async function storeFor(
  deps: Deps,
  { organisationId, userId }: Actor,
  owner: { ticket_id: string } | { drafted_by: string },
  source: IncomingMessage,
): Promise<StoredImage> {
  await limitRate(deps, `images:${userId}`, imagesPerMinute);
  let start = Buffer.alloc(0);
  const rules = {
    bytesMax: imageBytesMax,
    tooLarge: () => new Refusal("image_too_large"),
    onPiece: (piece: Buffer) => {
      if (start.length < startBytes) start = Buffer.concat([start, piece]).subarray(0, startBytes);
      if (start.length === startBytes) requireImage(start);
    },
    onEnd: () => void requireImage(start),
  };
  const { row } = await storeFile(deps, source, rules, ({ byteLength, sha256, storeKey }) =>
    deps.db
      .insertInto("images")
      .values({
        organisation_id: organisationId,
        ...owner,
        content_type: requireImage(start),
        byte_length: byteLength,
        sha256,
        store_key: storeKey,
        created_at: deps.clock.now(),
      })
      .returning(["id", "byte_length", "store_key"])
      .executeTakeFirstOrThrow(),
  );
  const url = getImage.path.replace("{imageId}", row.id);
  return { id: row.id, url, contentType: requireImage(start), byteLength: row.byte_length };
}

function requireImage(start: Buffer) {
  const contentType = imageTypeOf(start);
  if (!contentType) throw new Refusal("not_an_image");
  return contentType;
}
