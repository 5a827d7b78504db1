import { createHash } from "node:crypto";
import type { Deps } from "../../platform/deps.ts";
import type { SavedAs } from "../../platform/store/store.ts";
import { envelopePart, type Linked, originalPart } from "./artifact-links.ts";

/**
 * The bytes that a link leads to. `open` streams the range from `start` to `end`, both inclusive. `presign` returns a
 * URL at which the store itself serves them, if it can.
 */
export type LinkedBytes = {
  byteLength: number;
  sha256: Buffer;
  contentType: string | null;
  filename: string;
  open: (range: { start: number; end: number } | undefined) => Promise<NodeJS.ReadableStream | Buffer | undefined>;
  presign: (method: "GET" | "HEAD", headers: SavedAs) => Promise<string | undefined>;
};

/** The target of a link, or undefined if it no longer exists. */
export function findLinked(deps: Deps, linked: Linked): Promise<LinkedBytes | undefined> {
  if (linked.part === envelopePart) return findBytes(deps, linked, "envelope");
  if (linked.part === originalPart) return findBytes(deps, linked, "original");
  return findArtifact(deps, linked);
}

async function findArtifact({ db, store }: Deps, { appId, eventId, part }: Linked): Promise<LinkedBytes | undefined> {
  const found = await db
    .selectFrom("artifacts")
    .select(["store_key", "filename", "content_type", "byte_length", "sha256"])
    .where("app_id", "=", appId)
    .where("event_id", "=", eventId)
    .where("position", "=", Number(part))
    .executeTakeFirst();
  return (
    found && {
      byteLength: found.byte_length,
      sha256: found.sha256,
      contentType: found.content_type,
      filename: found.filename ?? `attachment-${part}`,
      open: (range) => store.read(found.store_key, range),
      presign: (method, headers) => store.presign(found.store_key, method, headers),
    }
  );
}

/** Finds the envelope or the original of a report in the database. */
async function findBytes(
  { db }: Deps,
  { appId, eventId }: Linked,
  kept: "envelope" | "original",
): Promise<LinkedBytes | undefined> {
  const found = await db
    .selectFrom("events")
    .select(`${kept} as bytes`)
    .where("app_id", "=", appId)
    .where("id", "=", eventId)
    .executeTakeFirst();
  const bytes = found?.bytes;
  if (!bytes) return undefined;
  return {
    byteLength: bytes.length,
    sha256: createHash("sha256").update(bytes).digest(),
    contentType: "application/json",
    filename: `${kept === "envelope" ? "envelope" : "event"}.json`,
    open: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
    presign: async () => undefined,
  };
}
