/** The first 122 bits of a digest as a UUIDv8 (RFC 9562, section 5.8). Modifies the digest. */
export function uuidOfDigest(digest: Buffer): string {
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6); // the version
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8); // the variant
  return digest.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
