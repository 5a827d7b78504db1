import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Receipt } from "@lodge/contract/envelope";

/** Reads submitted reports into the inbox immediately, for tests without workers. */
export { readEvent, readEvents } from "../inbox/problems/read-events.ts";
export { tellHappenings } from "../people/notifications/keep-telling.ts";

/** An attachment to send; its declaration is made from it. */
export type Attachment = { partName: string; bytes: Uint8Array; filename?: string; contentType?: string };

/**
 * Sends `POST /api/ingest` with a report, which must be accepted. An envelope given as text is sent unchanged, and must
 * declare its attachments itself.
 */
export async function submitReport(
  url: string,
  key: string,
  envelope: Record<string, unknown> | string,
  attachments: readonly Attachment[] = [],
): Promise<Receipt> {
  const declared = attachments.map(({ bytes, ...names }) => ({
    ...names,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    byteLength: bytes.length,
  }));
  const text =
    typeof envelope === "string"
      ? envelope
      : JSON.stringify(declared.length > 0 ? { ...envelope, attachments: declared } : envelope);
  const form = new FormData();
  form.set("envelope", new Blob([text], { type: "application/json" }));
  for (const { partName, bytes } of attachments) form.set(partName, new Blob([new Uint8Array(bytes)]), partName);
  const response = await fetch(`${url}/api/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const body = await response.text();
  assert.equal(response.status, 200, body);
  return JSON.parse(body) as Receipt;
}
