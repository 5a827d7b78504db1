import { hkdfSync } from "node:crypto";

/**
 * Derives a key for one purpose from the server's secret. A signature for one purpose is not valid for another.
 */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `lodge ${purpose}`, 32));
