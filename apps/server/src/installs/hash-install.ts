import { createHash } from "node:crypto";

/**
 * What an install is known by: 16 bytes of a SHA-256, written as a UUID. The same installId in another app is another
 * install. Hashed as UTF-16, so that NUL and unpaired surrogates make a difference as well.
 */
export function hashInstall(appId: string, installId: string): string {
  const hex = createHash("sha256").update(appId).update(installId, "utf16le").digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
