import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { deriveKey } from "./derive-key.ts";

const ivBytes = 12;
const tagBytes = 16;

/** A column that holds secrets, as `table.column`. */
export type SealedColumn = `${string}.${string}`;

type Key = { id: string; bytes: Buffer };

/** The keys of stored secrets: the first one encrypts, the others belong to earlier secrets and only decrypt. */
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
 * Encrypts a secret with AES-256-GCM, with its column and row as associated data, so that it cannot be decrypted in
 * another place. Returns `sealed.1.<key>.<base64url>`, where `<key>` is the name of the key.
 */
export function seal([key]: SealingKeys, column: SealedColumn, row: string, plain: string | Uint8Array): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, iv).setAAD(placeOf(column, row));
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `sealed.1.${key.id}.${sealed.toString("base64url")}`;
}

/** Decrypts a secret of a row. Throws `Unreadable` if none of the keys fits, or if the secret was discarded. */
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
      // of another key or row
    }
  }
  throw new Unreadable();
}

const placeOf = (column: SealedColumn, row: string) => Buffer.from(`${column} ${row}`);
