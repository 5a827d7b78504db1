import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { deriveKey } from "./derive-key.ts";

const ivBytes = 12;
const tagBytes = 16;

/** A column that holds secrets, as `table.column`. */
export type SealedColumn = `${string}.${string}`;

type Key = { id: string; bytes: Buffer };

/**
 * The keys that encrypt stored secrets: the first key encrypts. The others belong to earlier secrets and only decrypt.
 */
export type SealingKeys = readonly [Key, ...Key[]];

/** Thrown for a stored secret that was encrypted under another LODGE_SECRET, or belongs to another row. */
export class Unreadable extends Error {
  constructor() {
    super("a stored secret was encrypted with another LODGE_SECRET and must be entered again");
  }
}

/** The keys of LODGE_SECRET and, while it is rotated, LODGE_SECRET_PREVIOUS. */
export const sealingKeys = (secret: string, previous?: string): SealingKeys => [
  toKey(secret),
  ...(previous === undefined || previous === secret ? [] : [toKey(previous)]),
];

function toKey(secret: string): Key {
  const bytes = deriveKey(secret, "stored secrets");
  return {
    id: hash("sha256", deriveKey(secret, "name of the key of stored secrets"), "hex").slice(0, 12),
    bytes,
  };
}

/**
 * Encrypts a secret for one row of one column (AES-256-GCM, both are associated data), as text that names its key:
 * `sealed.1.<key>.<base64url>`. Copied to another row or column it cannot be decrypted.
 */
export function seal([key]: SealingKeys, column: SealedColumn, row: string, plain: string | Uint8Array): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, iv).setAAD(placeOf(column, row));
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `sealed.1.${key.id}.${sealed.toString("base64url")}`;
}

/** Decrypts a secret of a row. Throws `Unreadable` where none of the keys is its own, and for one that was given up. */
export function unseal(keys: SealingKeys, column: SealedColumn, row: string, stored: string): Buffer {
  const [prefix, version, id, text = ""] = stored.split(".");
  if (prefix !== "sealed" || version !== "1") throw new Unreadable();
  const sealed = Buffer.from(text, "base64url");
  for (const key of keys) {
    if (key.id !== id) continue;
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, sealed.subarray(0, ivBytes));
      decipher.setAAD(placeOf(column, row));
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const plain = Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
      if (plain.length > 0) return plain;
    } catch {
      // another key's, or another row's
    }
  }
  throw new Unreadable();
}

const placeOf = (column: SealedColumn, row: string) => Buffer.from(`${column} ${row}`);
