/**
 * A name as addresses have it: small letters and digits with hyphens between, at most 50 characters, never empty. Where
 * that is taken, with the first number that is free.
 */
export function slugOf(name: string, fallback: string, taken: readonly string[]): string {
  const words = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const cut = words
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-+|-+$/g, "");
  const wanted = cut || fallback;
  const others = new Set(taken);
  let slug = wanted;
  for (let number = 2; others.has(slug); number++) slug = `${wanted}-${number}`;
  return slug;
}
