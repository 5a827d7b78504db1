import { createHash } from "node:crypto";
import { uuidOfDigest } from "../../platform/hash-uuid.ts";

/**
 * The hash of an install: 122 bits of a SHA-256, as a UUID of version 8 (RFC 9562, section 5.8). The same installId in
 * another app is another install. Hashed as UTF-16, so that ids that differ only in NULs or unpaired surrogates differ.
 */
export const hashInstall = (appId: string, installId: string): string =>
  uuidOfDigest(createHash("sha256").update(appId).update(installId, "utf16le").digest());
