import { createHash } from "node:crypto";

/** What still recognises a report of an app once its event is deleted: the first 16 bytes of a SHA-256. */
export const reportDigest = (appId: string, reportId: string): Buffer =>
  createHash("sha256").update(appId.toLowerCase()).update(reportId).digest().subarray(0, 16);
