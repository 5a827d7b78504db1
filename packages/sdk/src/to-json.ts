const depthMax = 20;
const valuesMaxDefault = 20_000;
const textLengthMax = 200_000;

/**
 * Copies a value as JSON. Describes values that JSON lacks in words, omits values that are too deep or too many, and
 * cuts texts at 200,000 characters. Never throws, even if a getter or `change` does. `change` returns the replacement
 * for each text and each named value of an object.
 */
export function toJson(
  value: unknown,
  change = (text: string, _name: string): string | undefined => text,
  valuesMax: number = valuesMaxDefault,
): unknown {
  let values = 0;
  const above: unknown[] = [];
  const copy = (read: () => unknown, name: string): unknown => {
    const depth = above.length;
    try {
      if (++values > valuesMax) return undefined;
      const found = read();
      const value = isError(found) ? `${found.stack ?? found}` : found;
      if (value === null || typeof value === "boolean") return value;
      if (["string", "number", "bigint"].includes(typeof value)) {
        const text = `${value}`;
        const changed = change(text.length > textLengthMax ? `${text.slice(0, textLengthMax)} [cut]` : text, name);
        return Number.isFinite(value) && changed === text ? value : changed;
      }
      if (typeof value !== "object") return undefined;
      if (ArrayBuffer.isView(value)) return classOf(value);
      if (above.includes(value)) return "[circular]";
      if (above.push(value) > depthMax) return "[deeper]";
      const { toJSON } = value as { toJSON?: () => unknown };
      if (typeof toJSON === "function") return copy(() => toJSON.call(value), name);
      if (Array.isArray(value)) return value.slice(0, valuesMax - values).map((item) => copy(() => item, name) ?? null);
      const names = Object.keys(value).slice(0, valuesMax - values);
      return Object.fromEntries(names.map((key) => [key, copy(() => (value as Record<string, unknown>)[key], key)]));
    } catch {
      return "[unreadable]";
    } finally {
      above.length = depth;
    }
  };
  return copy(() => value, "");
}

/** As `[object Uint8Array]`. */
export const classOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Also true for errors of an iframe, which have a different class. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || classOf(value) === "[object Error]";
