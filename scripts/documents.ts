/** The section numbers in a document's headings: `## 2. Resources`, `### 2.1 API token`. */
export const sectionsOf = (document: string): Set<string> =>
  new Set([...document.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number = ""]) => number));

const gap = String.raw`(?:\s|\*|//|--)+`; // a citation may continue on the next comment line
const number = String.raw`\d+(?:\.\d+)*`;
const citations = new RegExp(
  `\\b(interface|contract)${gap}sections?${gap}(${number}(?:(?:,|${gap}and)${gap}${number})*)`,
  "gi",
);

/** The cited sections that do not exist, as in "interface section 2.1" and "contract sections 2 and 3". */
export function missingSections(
  text: string,
  sections: { interface: ReadonlySet<string>; contract: ReadonlySet<string> },
): string[] {
  return [...text.matchAll(citations)].flatMap(([, cited = "", numbers = ""]) => {
    const document = cited.toLowerCase() === "interface" ? "interface" : "contract";
    return [...numbers.matchAll(new RegExp(number, "g"))]
      .filter(([section]) => !sections[document].has(section))
      .map(([section]) => `${document} section ${section}`);
  });
}

/** The tests that a document links by title, or the start of a title, but that the linked file does not have. */
export function missingTests(text: string, read: (path: string) => string | undefined): string[] {
  return [...text.matchAll(/\[([^\]]+)\]\((?:\.\.\/)*([^)#]+\.test\.ts)\)/g)].flatMap(([, title = "", path = ""]) => {
    const source = read(path) ?? "";
    const isThere = ['"', "`", "'"].some((quote) =>
      source.toLowerCase().includes(`test(${quote}${title}`.toLowerCase()),
    );
    return isThere ? [] : [`${path} has no test "${title}"`];
  });
}

/** Committed screenshots that no document shows, and shown screenshots that are not committed. */
export function strayScreenshots(committed: readonly string[], documents: readonly string[]): string[] {
  const shown = new Set(
    documents.flatMap((text) => [...text.matchAll(/!\[[^\]]*\]\([^)]*?([^/)]+\.png)\)/g)].map(([, name = ""]) => name)),
  );
  return [
    ...committed.filter((name) => !shown.has(name)).map((name) => `no document shows ${name}`),
    ...[...shown].filter((name) => !committed.includes(name)).map((name) => `${name} is shown and not committed`),
  ];
}
