import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { longFiles, longFunctions } from "./long-sources.ts";

export const fileLinesMax = 300;
export const functionLinesMax = 60;
/** Components may be longer, since most of a component is markup with one line per attribute. */
export const componentLinesMax = 100;

type Sizes = { lines: number; functions: { name: string; lines: number }[] };

/**
 * The files and functions that are too long, and exceptions that are no longer needed. Named inner functions count
 * separately. Ignores tests, which are lists of cases.
 */
export function checkSizes(root: string): string[] {
  const files = globSync("{apps,packages,scripts,bench,examples}/**/*.{ts,tsx,mjs}", {
    cwd: root,
    exclude: ["**/node_modules", "**/dist", "**/*.generated.ts", "**/*.test.ts", "**/test-*in-browser.ts"],
  });
  const found = files.sort().map((file) => ({ file, ...sizesOf(file, readFileSync(`${root}${file}`, "utf8")) }));
  const long = new Map<string, string>();
  for (const { file, lines, functions } of found) {
    if (lines > fileLinesMax) long.set(file, `${file} has ${lines} lines of ${fileLinesMax}`);
    for (const { name, lines } of functions) long.set(`${file} ${name}`, `${file}: ${name} has ${lines} lines`);
  }
  const excepted = [...Object.keys(longFiles), ...Object.keys(longFunctions)];
  return [
    ...[...long].filter(([name]) => !excepted.includes(name)).map(([, problem]) => problem),
    ...excepted
      .filter((name) => !long.has(name))
      .map((name) => `${name} is short enough: remove it from scripts/long-sources.ts`),
  ];
}

/** The number of lines of a source, and its functions that are too long. */
export function sizesOf(file: string, text: string): Sizes {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const functions: Sizes["functions"] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  /** Checks the functions in a node, and returns the number of lines of the named ones. */
  const visit = (node: ts.Node): number => {
    let within = 0;
    ts.forEachChild(node, (child) => {
      within += visit(child);
    });
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return within;
    const all = lineOf(node.end) - lineOf(node.getStart()) + 1;
    const name = nameOf(node);
    if (name === undefined && ts.findAncestor(node.parent, ts.isFunctionLike)) return within; // counts with the outer function
    const isComponent = file.endsWith(".tsx") && /^[A-Z]/.test(name ?? "");
    if (all - within > (isComponent ? componentLinesMax : functionLinesMax)) {
      functions.push({ name: name ?? "a function without a name", lines: all - within });
    }
    return name === undefined ? within : all;
  };
  visit(source);
  return { lines: text.split("\n").length - 1, functions };
}

function nameOf({ name, parent }: ts.SignatureDeclaration): string | undefined {
  if (name) return name.getText();
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : undefined;
}
