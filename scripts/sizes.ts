import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { longFiles, longFunctions } from "./long-sources.ts";

export const fileLinesMax = 300;
export const functionLinesMax = 60;
/** Most of a component is markup, a line for each attribute. */
export const componentLinesMax = 100;

type Sizes = { lines: number; functions: { name: string; lines: number }[] };

/**
 * Files and functions that are too long; named functions within a function count by themselves. Tests
 * are lists of cases, and not looked at. Also names exceptions that are not needed any more.
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
    ...excepted.filter((name) => !long.has(name)).map((name) => `${name} is short enough: take it off the list`),
  ];
}

/** The length of a source, and its functions that are longer than they may be. */
export function sizesOf(file: string, text: string): Sizes {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const functions: Sizes["functions"] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  /** Looks at what stands in a node, and returns the lines of the named functions there. */
  const visit = (node: ts.Node): number => {
    let within = 0;
    ts.forEachChild(node, (child) => {
      within += visit(child);
    });
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return within;
    const all = lineOf(node.end) - lineOf(node.getStart()) + 1;
    const name = nameOf(node);
    if (name === undefined && ts.findAncestor(node.parent, ts.isFunctionLike)) return within; // counts with that one
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
