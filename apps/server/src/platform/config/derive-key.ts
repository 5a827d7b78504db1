import { hkdfSync } from "node:crypto";

/**
 * A key of its own for one purpose, of the secret that also signs sessions: what one signs is worth nothing where another
 * is asked for.
 */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `lodge ${purpose}`, 32));
