const mediaType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}(; *charset=[a-z0-9_-]{1,40})?$/i;

/** Content types that no browser executes. */
const inertType =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|(audio|video)\/[\w.+-]+|text\/plain(;.*)?|application\/(json|zip|gzip|pdf))$/i;

/**
 * The two download headers that an object store can send. The content type is one that a browser cannot execute at the
 * bucket's address.
 */
export function inertHeaders({ filename, contentType }: { filename: string; contentType: string | null }) {
  const headers = downloadHeaders(filename, contentType && inertType.test(contentType) ? contentType : null);
  return { contentType: headers["content-type"], contentDisposition: headers["content-disposition"] };
}

/** Headers that make a browser save untrusted bytes to a file, and never display or execute them. */
export function downloadHeaders(filename: string, contentType: string | null) {
  return {
    "content-type": contentType && mediaType.test(contentType) ? contentType : "application/octet-stream",
    "content-disposition": `attachment; filename="${asciiName(filename)}"; filename*=UTF-8''${encodedName(filename)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "referrer-policy": "no-referrer",
  };
}

/**
 * Parses a Range header (RFC 9110, section 14). Undefined means all bytes: there is no header, or it is invalid or has
 * several ranges. "unsatisfiable" means that the range is outside the file.
 */
export function rangeOf(
  header: string | undefined,
  byteLength: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const start = Math.max(0, byteLength - Number(last));
    return start < byteLength ? { start, end: byteLength - 1 } : "unsatisfiable";
  }
  const start = Number(first);
  const end = last === "" ? byteLength - 1 : Math.min(Number(last), byteLength - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < byteLength ? { start, end } : "unsatisfiable";
}

/** Removes folders, control characters, and characters that change the text direction. */
const safeName = (name: string) =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .replaceAll(/[/\\:*?"<>|]/g, "_")
    .replace(/^[. ]+|[. ]+$/g, "")
    .slice(0, 200)
    .toWellFormed() || "attachment";

const asciiName = (name: string) =>
  safeName(name)
    .replaceAll(/[^\x20-\x7e]/g, "_")
    .replaceAll(/["\\%]/g, "_");

const encodedName = (name: string) =>
  encodeURIComponent(safeName(name)).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
