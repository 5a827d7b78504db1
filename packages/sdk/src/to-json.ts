const depthMax = 20;
const valuesMax = 20_000;

/**
 * What JSON can hold of a value, as a copy: what it cannot is described in words, and what is too deep or too much is
 * left out. Never throws, whatever the value's getters do. `change` is asked what to make of each text, and of the value
 * of each name of an object.
 */
export function toJson(value: unknown, change = (text: string, _name: string): string | undefined => text): unknown {
  let values = 0;
  const above: object[] = [];
  const copy = (value: unknown, name: string): unknown => {
    if (++values > valuesMax) return undefined;
    if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return `${value}`;
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value === "string" || typeof value === "number") {
      const changed = change(`${value}`, name);
      return changed === `${value}` ? value : changed;
    }
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return "[circular]";
    if (above.length >= depthMax) return "[deeper]";
    above.push(value);
    try {
      if (value instanceof Error) return change(`${value.stack ?? value}`, name);
      const { toJSON } = value as { toJSON?: () => unknown };
      if (typeof toJSON === "function") return copy(toJSON.call(value), name);
      if (Array.isArray(value)) return value.map((item) => copy(item, name) ?? null);
      return Object.fromEntries(
        Object.keys(value).map((key) => [key, copy((value as Record<string, unknown>)[key], key)]),
      );
    } catch {
      return "[unreadable]";
    } finally {
      above.pop();
    }
  };
  return copy(value, "");
}
