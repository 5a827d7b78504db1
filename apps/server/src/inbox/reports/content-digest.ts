import { createHash } from "node:crypto";
import { Refusal } from "../../platform/errors.ts";
import type { Part } from "../../platform/http/read-parts.ts";

/**
 * Returns the bytes of a part, and `verify` for its own `Content-Digest: sha-256=:…:` (RFC 9530) once they have been
 * read. `verify` throws `sha256_mismatch`. A part without that header, or with only other algorithms, always passes.
 */
export function digesting(part: Part): { bytes: AsyncIterable<Buffer>; verify: () => void } {
  // A dictionary: if a key occurs twice, the last one counts (RFC 8941, section 3.2).
  const expected = [...(part.contentDigest ?? "").matchAll(/(?:^|[,\s])sha-256=:([^:]*):/gi)].at(-1)?.[1];
  if (expected === undefined) return { bytes: part.bytes, verify: () => {} };
  const hash = createHash("sha256");
  return {
    bytes: (async function* () {
      for await (const chunk of part.bytes) {
        hash.update(chunk);
        yield chunk;
      }
    })(),
    verify: () => {
      if (hash.digest("base64") !== expected) throw new Refusal("sha256_mismatch", { partName: part.name });
    },
  };
}
