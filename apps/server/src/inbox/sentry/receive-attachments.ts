import { createHash } from "node:crypto";
import { attachmentsMax } from "@lodge/contract/limits";
import type { StoredAttachment } from "../reports/accept-event.ts";
import type { Uploads } from "../reports/store-report.ts";
import { Cuts } from "./cuts.ts";
import type { Item } from "./read-items.ts";

const nameLengthMax = 255;

/** The attachments of an envelope that are being stored. */
export class Attachments {
  readonly stored: StoredAttachment[] = [];
  /** Attachments that were left out, because there were too many or they were too large, and those that were cut. */
  readonly cuts = new Cuts();
  readonly #uploads: Uploads;
  readonly #bytesMax: number;

  constructor(uploads: Uploads, bytesMax: number) {
    this.#uploads = uploads;
    this.#bytesMax = bytesMax;
  }

  /** Hashes an attachment while it streams into the store, or leaves it out. */
  async receive({ header, length, bytes }: Item): Promise<void> {
    const filename = this.cuts.text(header.filename, nameLengthMax, "filename");
    const name = filename || `attachment-${this.stored.length + 1}`;
    if (this.stored.length === attachmentsMax) {
      return this.cuts.note(name, `more than ${attachmentsMax} attachments`, await lengthOf(bytes));
    }
    if (length !== undefined && length > this.#bytesMax)
      return this.cuts.note(name, `larger than ${this.#bytesMax} bytes`, length);
    const { upload, storeKey } = await this.#uploads.create();
    const hash = createHash("sha256");
    let byteLength = 0;
    for await (const chunk of bytes) {
      byteLength += chunk.length;
      if (byteLength > this.#bytesMax) continue;
      hash.update(chunk);
      await upload.write(chunk);
    }
    if (byteLength > this.#bytesMax) {
      await this.#uploads.drop(upload);
      return this.cuts.note(name, `larger than ${this.#bytesMax} bytes`, byteLength);
    }
    const position = this.stored.length;
    const contentType = this.cuts.text(header.content_type, nameLengthMax, "content_type") || null;
    const described = { filename: filename || null, contentType, byteLength, sha256: hash.digest(), storeKey };
    this.stored.push({ position, partName: `attachment-${position + 1}`, ...described });
  }

  /** Their declarations for Lodge's envelope. */
  declared() {
    return this.stored.map(({ partName, sha256, byteLength, filename, contentType }) => ({
      partName,
      sha256: sha256.toString("hex"),
      byteLength,
      ...(filename !== null && { filename }),
      ...(contentType !== null && { contentType }),
    }));
  }
}

async function lengthOf(bytes: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const chunk of bytes) length += chunk.length;
  return length;
}
