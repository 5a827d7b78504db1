/** A name as addresses have it: small letters and digits with hyphens between, at most 50 characters, never empty. */
export function slugOf(name: string, fallback: string): string {
  const words = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = words
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-+|-+$/g, "");
  return slug || fallback;
}
