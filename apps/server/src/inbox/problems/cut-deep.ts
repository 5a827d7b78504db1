/** Removes what lies deeper than `depthMax` levels in a JSON value, because no serialiser could handle it. */
export function cutDeep(value: unknown, depthMax: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depthMax === 0) return "…";
  if (Array.isArray(value)) return value.map((item) => cutDeep(item, depthMax - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutDeep(item, depthMax - 1)]));
}
