import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deriveKey } from "./derive-key.ts";

const ivBytes = 12;
const tagBytes = 16;

/** Encrypts bytes for one purpose (AES-256-GCM), with a key of the secret that also signs sessions. */
export function seal(secret: string, purpose: string, plain: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(secret, purpose), iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** What was encrypted for the same purpose. Throws where it was for another, by another secret, or is changed. */
export function unseal(secret: string, purpose: string, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", deriveKey(secret, purpose), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
}
