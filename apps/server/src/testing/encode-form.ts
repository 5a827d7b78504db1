import { createHash } from "node:crypto";

/** One part of a multipart body, sent as given. */
export type FormPart = {
  /** The quoted name in the Content-Disposition, unescaped. Without it, the part has only `headers`. */
  name?: string;
  /** Header lines after the Content-Disposition. */
  headers?: readonly string[];
  body: string | Uint8Array;
};

/** How to deviate from a well-behaved client. */
export type FormOptions = { boundary?: string; preamble?: string; epilogue?: string; final?: boolean };

/** The default boundary. */
export const formBoundary = "----a-test's-form";

/** A multipart/form-data body, byte for byte. */
export function encodeForm(
  parts: readonly FormPart[],
  { boundary = formBoundary, preamble = "", epilogue = "\r\n", final = true }: FormOptions = {},
): Buffer {
  const encoded = parts.map(({ name, headers = [], body }) => {
    const lines = [...(name === undefined ? [] : [`Content-Disposition: form-data; name="${name}"`]), ...headers];
    return Buffer.concat([
      Buffer.from(`--${boundary}\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`),
      Buffer.from(body),
      Buffer.from("\r\n"),
    ]);
  });
  const end = final ? [Buffer.from(`--${boundary}--${epilogue}`)] : [];
  return Buffer.concat([Buffer.from(preamble), ...encoded, ...end]);
}

/** The part named envelope with this JSON. */
export const envelopePart = (envelope: unknown, headers: readonly string[] = []): FormPart => ({
  name: "envelope",
  headers,
  body: JSON.stringify(envelope),
});

/** The declaration of an attachment in an envelope. */
export const declare = (partName: string, bytes: string | Uint8Array) => ({
  partName,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  byteLength: Buffer.byteLength(bytes),
});

/** A Content-Digest header line (RFC 9530) that these bytes match. */
export const contentDigest = (bytes: string | Uint8Array) =>
  `Content-Digest: sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
