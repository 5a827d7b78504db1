import type { IncomingMessage } from "node:http";
import { getImage, type StoredImage } from "@lodge/contract/dashboard/images";
import { imageBytesMax, imagesPerMinute } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { receiveFile } from "../../platform/http/receive-file.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import type { Upload } from "../../platform/store/store.ts";
import { makeStoreKey } from "../../platform/store/store-key.ts";
import { imageTypeOf, startBytes } from "./image-type.ts";

/**
 * Stores the image that a request's body is, for texts of a ticket to show. Throws `ticket_not_found`, and as
 * `storeDraftImage` does.
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
    .executeTakeFirst();
  if (!ticket) throw new Refusal("ticket_not_found");
  return storeFor(deps, actor, { ticket_id: ticket.id }, source);
}

/**
 * Stores the image that a request's body is, for the next ticket of the person whose description shows it (`claimImages`).
 * Throws `rate_limit_exceeded`, `unavailable` where a disk is full, `image_too_large`, `not_an_image` or `request_timeout`.
 */
export const storeDraftImage = (deps: Deps, actor: Actor, source: IncomingMessage): Promise<StoredImage> =>
  storeFor(deps, actor, { drafted_by: actor.userId }, source);

/** Its bytes go into the store as they come. */
async function storeFor(
  deps: Deps,
  { organisationId, userId }: Actor,
  owner: { ticket_id: string } | { drafted_by: string },
  source: IncomingMessage,
): Promise<StoredImage> {
  const { db, store, clock, config } = deps;
  await limitRate(deps, `images:${userId}`, imagesPerMinute);
  deps.disks.requireRoom();
  if (Number(source.headers["content-length"] ?? 0) > imageBytesMax) throw new Refusal("image_too_large");

  const storeKey = makeStoreKey(clock.now());
  const upload = await store.create(storeKey);
  let kept = false;
  try {
    const { contentType, byteLength, sha256 } = await receive(source, upload, config.ingestIdleMs);
    await upload.commit();
    kept = true; // a lost connection leaves open whether the row exists: then only a sweep may delete the file
    const { id } = await db
      .insertInto("images")
      .values({
        organisation_id: organisationId,
        ...owner,
        content_type: contentType,
        byte_length: byteLength,
        sha256,
        store_key: storeKey,
        created_at: clock.now(),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return { id, url: getImage.path.replace("{imageId}", id), contentType, byteLength };
  } finally {
    if (!kept) await upload.abort();
  }
}

async function receive(source: IncomingMessage, upload: Upload, idleMs: number) {
  let start = Buffer.alloc(0);
  const received = await receiveFile(source, upload, {
    idleMs,
    bytesMax: imageBytesMax,
    tooLarge: () => new Refusal("image_too_large"),
    onPiece: (piece) => {
      if (start.length < startBytes) start = Buffer.concat([start, piece]).subarray(0, startBytes);
      if (start.length === startBytes) requireImage(start);
    },
  });
  return { contentType: requireImage(start), ...received };
}

function requireImage(start: Buffer) {
  const contentType = imageTypeOf(start);
  if (!contentType) throw new Refusal("not_an_image");
  return contentType;
}
