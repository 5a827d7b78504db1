import { createHash, randomBytes } from "node:crypto";
import { base62 } from "../../platform/base62.ts";

/** A secret for a link to a person: 43 characters, 256 bits. */
export const makeLinkSecret = (): string => base62(randomBytes(32), 43);

/** The stored hash of a link's secret. */
export const hashLinkSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();
