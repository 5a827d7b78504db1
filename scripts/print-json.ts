const lineWidth = 120;

/** Formats JSON like Biome: two spaces, a line for each property, and lists of plain values on one line. */
export function printJson(value: unknown, indent = "", before = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => printJson(item, inner)).join(", ")}]`;
    const fits = indent.length + before.length + line.length + 1 <= lineWidth;
    if (fits && value.every((item) => typeof item !== "object" || item === null)) return line;
    return `[\n${value.map((item) => `${inner}${printJson(item, inner)}`).join(",\n")}\n${indent}]`;
  }
  const properties = Object.entries(value)
    .filter(([, property]) => property !== undefined)
    .map(([name, property]) => [`${JSON.stringify(name)}: `, property] as const);
  if (properties.length === 0) return "{}";
  const lines = properties.map(([name, property]) => `${inner}${name}${printJson(property, inner, name)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
