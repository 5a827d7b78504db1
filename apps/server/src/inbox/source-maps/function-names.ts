import { type ParserOptions, parse } from "@babel/parser";

/**
 * A function of a source: its start and end (lines from 1, columns from 0), and its name. Lists are ordered from the
 * outside in.
 */
export type NamedFunction = [startLine: number, startColumn: number, endLine: number, endColumn: number, name: string];

const functionsMax = 100_000;
const nameLengthMax = 200;

type Node = { type: string; loc?: { start: Place; end: Place } | null } & Record<string, unknown>;
type Place = { line: number; column: number };

/**
 * The named functions of a source. The name is that of the declaration, or of the variable, property or method that
 * holds the function. Callbacks have none and count as part of the function around them. In Vue and Svelte components,
 * the scripts are read. Empty for sources that are neither JavaScript nor TypeScript.
 */
export function namedFunctions(source: string, file: string): NamedFunction[] {
  const functions: NamedFunction[] = [];
  const text = component.test(file) ? scriptsOf(source) : source;
  try {
    walk(parse(text, optionsOf(file)).program as unknown as Node, { name: null, className: null }, functions);
  } catch {
    return []; // it cannot be parsed, or is nested too deeply
  }
  return functions;
}

const component = /\.(?:vue|svelte)(?:\?|$)/;
const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");

/** The scripts of a component, with everything else blanked so that lines and columns stay the same. */
function scriptsOf(source: string): string {
  let scripts = "";
  let at = 0;
  for (;;) {
    const tag = source.indexOf("<script", at);
    const begins = tag < 0 ? -1 : source.indexOf(">", tag) + 1;
    const ends = begins <= 0 ? -1 : source.indexOf("</script", begins);
    if (ends < 0) return scripts;
    scripts += blank(source.slice(at, begins)) + source.slice(begins, ends);
    at = ends;
  }
}

const optionsOf = (file: string): ParserOptions => ({
  sourceType: "unambiguous",
  errorRecovery: true,
  allowReturnOutsideFunction: true,
  plugins: ["typescript", "decorators", ...(/\.[mc]?ts$/.test(file) || component.test(file) ? [] : (["jsx"] as const))],
});

/** The innermost function around a position; null for none. */
export function functionAt(functions: readonly NamedFunction[], line: number, column: number): string | null {
  let found: string | null = null;
  for (const [startLine, startColumn, endLine, endColumn, name] of functions) {
    const begins = startLine < line || (startLine === line && startColumn <= column);
    const ends = endLine > line || (endLine === line && endColumn >= column);
    if (begins && ends) found = name; // inner functions come after those around them
  }
  return found;
}

/** The name that a node gets from its position, and the class that contains it. */
type Context = { name: string | null; className: string | null };

function walk(node: Node, context: Context, functions: NamedFunction[]): void {
  if (functions.length >= functionsMax) return;
  const name = isFunction(node) ? nameOf(node, context) : null;
  if (name !== null && node.loc) {
    const { start, end } = node.loc;
    functions.push([start.line, start.column, end.line, end.column, name.slice(0, nameLengthMax)]);
  }
  const className = isClass(node) ? (textOf(node.id) ?? context.name) : isFunction(node) ? null : context.className;
  for (const [key, child] of Object.entries(node)) {
    if (key === "loc" || typeof child !== "object" || child === null) continue;
    for (const one of Array.isArray(child) ? child : [child]) {
      if (!isNode(one)) continue;
      walk(one, { name: nameGiven(node, key), className }, functions);
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string" && "loc" in value;

const isFunction = ({ type }: Node) =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/.test(
    type,
  );

const isClass = ({ type }: Node) => type === "ClassDeclaration" || type === "ClassExpression";

function nameOf(node: Node, { name, className }: Context): string | null {
  const own = textOf(node.id) ?? textOf(node.key) ?? name;
  return own !== null && className !== null ? `${className}.${own}` : own;
}

/** The name that a node gives to its child at a key. */
function nameGiven(node: Node, key: string): string | null {
  if (node.type === "VariableDeclarator" && key === "init") return textOf(node.id);
  if (node.type === "AssignmentExpression" && key === "right") return textOf(node.left);
  if (/^(?:ObjectProperty|ClassProperty|ClassPrivateProperty)$/.test(node.type) && key === "value")
    return textOf(node.key);
  return null;
}

/** The text of an identifier, a key or the last part of a member expression. */
function textOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === "Identifier") return String(value.name);
  if (value.type === "StringLiteral") return String(value.value);
  if (value.type === "PrivateName") return textOf(value.id);
  if (value.type === "MemberExpression" && value.computed !== true) return textOf(value.property);
  return null;
}
