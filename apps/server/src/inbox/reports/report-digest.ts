import { createHash } from "node:crypto";

/** The permanent digest of an app's report: the first 16 bytes of a SHA-256, as PostgreSQL reads a UUID. */
export const reportDigest = (appId: string, reportId: string): string =>
  createHash("sha256").update(appId.toLowerCase()).update(reportId).digest("hex").slice(0, 32);
