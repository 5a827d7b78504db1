import { createHash } from "node:crypto";
import type { DeclaredAttachment } from "@lodge/contract/envelope";
import { Refusal } from "../../platform/errors.ts";
import type { Part } from "../../platform/http/read-parts.ts";
import type { Upload } from "../../platform/store/store.ts";
import { digesting } from "./content-digest.ts";

/** An attachment that was received completely. */
export type ReceivedAttachment = { partName: string; byteLength: number; sha256: Buffer };

/**
 * Streams a part into an upload and hashes it. Stops as soon as it exceeds the size in `declared`, if that is known
 * already. Calls `onBytes` with the number of bytes so far. Throws `bytelength_mismatch` or `sha256_mismatch`.
 */
export async function receiveAttachment(
  part: Part,
  upload: Upload,
  declared: DeclaredAttachment | undefined,
  onBytes: (byteLength: number) => void,
): Promise<ReceivedAttachment> {
  const hash = createHash("sha256");
  const digest = digesting(part);
  let byteLength = 0;
  for await (const chunk of digest.bytes) {
    byteLength += chunk.length;
    onBytes(byteLength);
    if (declared && byteLength > declared.byteLength) throw new Refusal("bytelength_mismatch", { partName: part.name });
    hash.update(chunk);
    await upload.write(chunk);
  }
  const received = { partName: part.name, byteLength, sha256: hash.digest() };
  if (declared) compare(received, declared);
  digest.verify();
  return received;
}

/** Throws `bytelength_mismatch` or `attachment_sha256_mismatch` if an attachment differs from its declaration. */
export function compare({ partName, byteLength, sha256 }: ReceivedAttachment, declared: DeclaredAttachment): void {
  if (byteLength !== declared.byteLength) throw new Refusal("bytelength_mismatch", { partName });
  if (sha256.toString("hex") !== declared.sha256.toLowerCase())
    throw new Refusal("attachment_sha256_mismatch", { partName });
}
