import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { base62 } from "../../platform/base62.ts";

const form = /^([a-z]+_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** The prefixes of secrets, by kind. */
type Prefix = "ldg_" | "ldgrun_";
const prefixLength = 8;

/**
 * A new secret: `ldg_` of an API token or `ldgrun_` of a runner, 32 random bytes in base62, and the CRC32 of those 43
 * characters in base62 (contract sections 1 and 11).
 */
export function makeTokenSecret(prefix: Prefix = "ldg_"): string {
  const random = base62(randomBytes(32), 43);
  return `${prefix}${random}${checksum(random)}`;
}

/** Whether a text has the form and checksum of a secret, without asking the database. */
export function isTokenSecret(text: string, prefix: Prefix = "ldg_"): boolean {
  const [, begins, random = "", sum] = form.exec(text) ?? [];
  return begins === prefix && sum !== undefined && checksum(random) === sum;
}

/** The stored hash of a secret: its SHA-256. Nobody can guess 32 random bytes, so a slower hash is not needed. */
export const hashTokenSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** The first characters of a secret, by which people recognise a token in a list. */
export const prefixOf = (secret: string): string => secret.slice(0, prefixLength);

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return base62(bytes, 6);
}
