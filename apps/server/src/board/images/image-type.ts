import type { imageTypes } from "@lodge/contract/dashboard/images";

/** The number of leading bytes that `imageTypeOf` reads. */
export const startBytes = 16;

/** The bytes that identify each image type, by position, as Latin-1. */
const signatures: [(typeof imageTypes)[number], at: number, string][] = [
  ["image/png", 0, "\u0089PNG\r\n\u001a\n"],
  ["image/jpeg", 0, "\u00ff\u00d8\u00ff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/avif", 4, "ftypavis"],
];

/** The image type that these bytes start; undefined for anything else, which a browser might treat as a document. */
export function imageTypeOf(start: Buffer): (typeof imageTypes)[number] | undefined {
  const text = start.subarray(0, startBytes).toString("latin1");
  return signatures.find(([, at, signature]) => text.startsWith(signature, at))?.[0];
}
