import { createHash } from "node:crypto";

/**
 * What an install is known by: 122 bits of a SHA-256, as a UUID of version 8 (RFC 9562, section 5.8). The same installId
 * in another app is another install. Hashed as UTF-16, so that NUL and unpaired surrogates make a difference as well.
 */
export function hashInstall(appId: string, installId: string): string {
  const hash = createHash("sha256").update(appId).update(installId, "utf16le").digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6); // the version
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8); // the variant
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
