import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A new secret of 160 bits, as RFC 4226 recommends. */
export const makeTotpSecret = (): Buffer => randomBytes(20);

/** The six-digit code of a secret for a time step (RFC 6238, with its default of SHA-1 and 30 s). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = digest.readUInt8(19) & 0xf;
  return `${(digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000}`.padStart(6, "0");
}

/** The time step of a code: the current, previous or next one, as clocks differ; undefined for other codes. */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | undefined {
  const current = Math.floor(now.getTime() / stepMs);
  return [current, current - 1, current + 1].find((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    const given = Buffer.from(code);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Bytes in base32 (RFC 4648) without padding, as authenticator apps take them. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}
