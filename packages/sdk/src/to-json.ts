const depthMax = 20;
const valuesMax = 20_000;
const textLengthMax = 200_000;

/**
 * What JSON can hold of a value, as a copy: what it cannot is described in words, and what is too deep or too much is
 * left out; texts are cut at 200,000 characters. Never throws, whatever the value's getters or `change` do. `change` is
 * asked what to make of each text, and of the value of each name of an object.
 */
export function toJson(value: unknown, change = (text: string, _name: string): string | undefined => text): unknown {
  let values = 0;
  const above: object[] = [];
  const copy = (read: () => unknown, name: string): unknown => {
    if (++values > valuesMax) return undefined;
    const depth = above.length;
    try {
      const value = read();
      if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return `${value}`;
      if (typeof value === "function" || typeof value === "symbol") return undefined;
      if (typeof value === "string" || typeof value === "number") {
        const changed = change(cut(`${value}`), name);
        return changed === `${value}` ? value : changed;
      }
      if (typeof value !== "object" || value === null) return value;
      if (ArrayBuffer.isView(value)) return classOf(value);
      if (above.includes(value)) return "[circular]";
      if (depth >= depthMax) return "[deeper]";
      above.push(value);
      if (isError(value)) return change(cut(`${value.stack ?? value}`), name);
      const { toJSON } = value as { toJSON?: () => unknown };
      if (typeof toJSON === "function") return copy(() => toJSON.call(value), name);
      if (Array.isArray(value)) return value.slice(0, valuesMax - values).map((item) => copy(() => item, name) ?? null);
      const entries = Object.keys(value).slice(0, valuesMax - values);
      return Object.fromEntries(entries.map((key) => [key, copy(() => (value as Record<string, unknown>)[key], key)]));
    } catch {
      return "[unreadable]";
    } finally {
      above.length = depth;
    }
  };
  return copy(() => value, "");
}

const classOf = (value: unknown) => Object.prototype.toString.call(value);

/** Of an iframe too, whose errors are none of this page's class. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || classOf(value) === "[object Error]";

const cut = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)} [cut]` : text);
