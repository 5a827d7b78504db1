/** A table for people: each column is as wide as its longest value, except for the last. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, index) => Math.max(...lines.map((line) => [...(line[index] ?? "")].length)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - [...cell].length))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Names and values, one pair per line, without empty values. */
export const factsOf = (facts: Record<string, string | number | null | undefined>): string => {
  const given = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(`${value}`)}`).join("\n");
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them, and anybody can write a title
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
