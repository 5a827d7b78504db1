/**
 * The slug of a name: lower-case letters and digits with hyphens in between, at most 50 characters, never empty. If it
 * is taken, it gets the first free number.
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
