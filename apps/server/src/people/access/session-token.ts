import { createHash } from "node:crypto";

/** The stored hash of a session's token. It has 24 random bytes, so nothing slower is needed. */
export const hashSessionToken = (token: string): Buffer => createHash("sha256").update(token).digest();
