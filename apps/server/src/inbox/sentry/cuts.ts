/** The parts that an envelope declares as left out (contract section 3). */
export type Dropped = { partName: string; reason: string; byteLength?: number };

const droppedMax = 100;

/** Records what was left out of an event because it does not fit Lodge's envelope, at most 100 entries. */
export class Cuts {
  readonly dropped: Dropped[] = [];

  note(partName: string, reason: string, byteLength?: number): void {
    if (this.dropped.length === droppedMax) return;
    this.dropped.push({ partName: partName.slice(0, 200), reason, ...(byteLength !== undefined && { byteLength }) });
  }

  /** Cuts a value's text to `lengthMax` code points; undefined if it has none. */
  text(value: unknown, lengthMax: number, path: string): string | undefined {
    const text = textOf(value);
    if (text === undefined || text.length <= lengthMax) return text;
    const points = [...text.slice(0, 2 * lengthMax + 2)];
    if (points.length <= lengthMax) return text;
    this.note(path, `longer than ${lengthMax} characters: the rest was cut off`);
    return points.slice(0, lengthMax).join("");
  }

  /** Cuts a list to its first or last `countMax` entries. */
  list<T>(values: readonly T[], countMax: number, path: string, keep: "first" | "last" = "first"): readonly T[] {
    if (values.length <= countMax) return values;
    this.note(path, `${values.length} entries: all but the ${keep} ${countMax} were left out`);
    return keep === "first" ? values.slice(0, countMax) : values.slice(-countMax);
  }
}

/** A string, number or boolean as text; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : ["number", "boolean"].includes(typeof value) ? String(value) : undefined;

/** A non-empty text; undefined for anything else. */
export const someText = (value: unknown): string | undefined => textOf(value) || undefined;

/** The fields of an object; none for anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The objects of a list. Sentry clients send a list as such or as `values` of an object. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  const list = Array.isArray(value) ? value : fieldsOf(value).values;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

/** Converts a Sentry timestamp, in seconds or as text, to RFC 3339; undefined for anything else. */
export function timestampOf(value: unknown): string | undefined {
  const date = typeof value === "number" ? new Date(value * 1000) : dateOf(value);
  if (!date || Number.isNaN(date.getTime())) return undefined;
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined;
}

/** Old clients leave out the time zone and mean UTC. */
function dateOf(value: unknown): Date | undefined {
  if (typeof value !== "string" || value.length > 50) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return new Date(Number(value) * 1000);
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`;
  return /^\d{4}-\d\d-\d\d[t ]/i.test(value) ? new Date(zoned.replace(" ", "T")) : undefined;
}
