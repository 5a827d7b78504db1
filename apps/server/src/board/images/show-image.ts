import type { Readable } from "node:stream";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { downloadHeaders } from "../../platform/http/download.ts";

/** Browsers cache images, which never change, for a day; proxies do not cache them. */
const keptSeconds = 86_400;

/**
 * The bytes of an image of the organisation, with headers that let a page show it and nothing run it. Throws
 * `image_not_found`.
 */
export async function showImage(
  { db, store }: Deps,
  { organisationId }: Actor,
  imageId: string,
): Promise<{ headers: Record<string, string | number>; bytes: Readable }> {
  const found = await db
    .selectFrom("images")
    .leftJoin("tickets", (join) =>
      join.onRef("tickets.organisation_id", "=", "images.organisation_id").onRef("tickets.id", "=", "images.ticket_id"),
    )
    .select(["content_type", "byte_length", "store_key"])
    .where("images.organisation_id", "=", organisationId)
    .where("images.id", "=", imageId)
    .where((eb) => eb.or([eb("images.ticket_id", "is", null), eb("tickets.column_id", "is not", null)]))
    .executeTakeFirst();
  const bytes = found && (await store.read(found.store_key));
  if (!bytes) throw new Refusal("image_not_found");
  const { content_type: contentType, byte_length } = found;
  return {
    bytes,
    headers: {
      ...downloadHeaders(`image.${contentType.slice("image/".length)}`, contentType),
      "cache-control": `private, max-age=${keptSeconds}, immutable`,
      "content-length": byte_length,
      "cross-origin-resource-policy": "same-origin",
    },
  };
}
