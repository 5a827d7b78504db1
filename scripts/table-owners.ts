import { glob, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const source = fileURLToPath(new URL("../apps/server/src/", import.meta.url));
// Functions that write a table given as an argument, and the position of the argument.
const builders = new Map([
  ["insertInto", 0],
  ["updateTable", 0],
  ["deleteFrom", 0],
  ["mergeInto", 0],
  ["renumber", 1],
  ["deleteInSteps", 1],
]);

// The placeholder for an expression in a template: a private use character, repeated so that offsets match the source.
const firstHole = 0xe000;
const space = String.raw`(?:\s|\\n|\\t)+`;
const name = String.raw`[\w".\ue000-\uf8ff]+`;
const writes = new RegExp(
  String.raw`(?<!\b(?:for|do|key)${space})\b(?:insert${space}into|update|delete${space}from|merge${space}into|truncate(?:${space}table)?)${space}(?:only${space})?(?<names>${name}(?:(?<=\btruncate\b.*)\s*,\s*${name})*|$)`,
  "gi",
);

/**
 * A write in a source. In the patterns of `tables`, % stands for parts that are only known at runtime. `isTold` if the
 * statement does not contain the table's name.
 */
type Write = { line: number; tables: string[]; isTold: boolean };

/** The problems with writes to tables, as `file:line` and a sentence, and the number of files that were read. */
export async function checkTableOwners(): Promise<{ problems: string[]; filesRead: number }> {
  const ownerOf = new Map<string, string>();
  for await (const file of glob(`${source}{platform,*/*}/table.ts`)) {
    const { tables } = (await import(file)) as { tables: readonly string[] };
    for (const table of tables) ownerOf.set(table, dirname(file).slice(source.length));
  }
  const generated = await readFile(`${source}platform/database/database.generated.ts`, "utf8");
  const [, listed = ""] = /export interface DB \{([^}]*)\}/.exec(generated) ?? [];
  const problems = [...listed.matchAll(/^ {2}(\w+):/gm)]
    .map(([, table = ""]) => table)
    .filter((table) => !ownerOf.has(table))
    .map((table) => `the table ${table} is in no module's table.ts`);
  let filesRead = 0;
  for await (const file of glob(`${source}**/*.ts`)) {
    if (file.endsWith(".test.ts") || file.startsWith(`${source}testing/`)) continue; // tests may write any table
    problems.push(...strangeWrites(file.slice(source.length), await readFile(file, "utf8"), ownerOf));
    filesRead++;
  }
  return { problems, filesRead };
}

/**
 * The writes of a file to tables of other modules, and those whose table the source does not show. `file` is the path
 * below the sources. Table names that are passed to the platform are checked in the caller.
 */
export function strangeWrites(file: string, text: string, ownerOf: ReadonlyMap<string, string>): string[] {
  const module = file.startsWith("platform/") ? "platform" : file.split("/", 2).join("/");
  const writes = readWrites(text).filter(({ isTold }) => module !== "platform" || !isTold);
  return writes.flatMap(({ line, tables }) =>
    tables.flatMap((table) => {
      const owners = ownersOf(table, ownerOf);
      if (owners === undefined) return [`${file}:${line} writes a table whose name the source does not tell`];
      return owners.filter((owner) => owner !== module).map((owner) => `${file}:${line} writes ${table} of ${owner}/`);
    }),
  );
}

/** The modules that own the tables of a pattern; empty if Lodge has no such table, undefined if it could be any. */
function ownersOf(pattern: string, ownerOf: ReadonlyMap<string, string>): string[] | undefined {
  const partitioned = ownerOf.get(pattern.replace(/_[\d%]+$/, ""));
  if (partitioned) return [partitioned];
  if (!pattern.includes("%")) return [ownerOf.get(pattern) ?? []].flat();
  const names = new RegExp(`^${pattern.replaceAll("%", "\\w+")}$`);
  const owners = [...ownerOf].filter(([table]) => names.test(table)).map(([, owner]) => owner);
  return /^%*$/.test(pattern) || owners.length === 0 ? undefined : [...new Set(owners)];
}

/** Every write in a source, with Kysely's builders or in SQL, also over several lines. */
function readWrites(text: string): Write[] {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const found: Write[] = [];
  const add = (offset: number, tables: string[], isTold: boolean) =>
    found.push({ line: file.getLineAndCharacterOfPosition(offset).line + 1, tables, isTold });

  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { expression: called } = node;
      const place = builders.get(ts.isPropertyAccessExpression(called) ? called.name.text : called.getText());
      const table = place === undefined ? undefined : node.arguments[place];
      if (table) add(table.getStart(), readTables(table), !ts.isStringLiteralLike(table));
    }
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
      for (const { offset, tables, isTold } of readStatement(node)) add(node.getStart() + offset, tables, isTold);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function* readStatement(node: ts.Expression): Generator<{ offset: number } & Omit<Write, "line">> {
  const holes = ts.isTemplateExpression(node) ? node.templateSpans.map(({ expression }) => expression) : [];
  let text = node.getText();
  for (const [index, hole] of holes.entries()) {
    const from = text.lastIndexOf("${", hole.getStart() - node.getStart());
    const to = text.indexOf("}", hole.getEnd() - node.getStart()) + 1;
    text = text.slice(0, from) + String.fromCharCode(firstHole + index).repeat(to - from) + text.slice(to);
  }
  text = text.slice(0, -1); // its closing quote
  for (const match of text.matchAll(writes)) {
    const names = match.groups?.names ?? "";
    const offset = match.index + match[0].length - names.length;
    // A statement that is concatenated with the name of its table.
    if (names === "") {
      if (ts.isBinaryExpression(node.parent)) yield { offset, tables: ["%"], isTold: true };
      continue;
    }
    for (const single of names.split(/\s*,\s*/)) {
      yield { offset, tables: expand(single, holes), isTold: /[\ue000-\uf8ff]/.test(single) };
    }
  }
}

/** The possible tables of a name in a statement, with the values of its expressions. */
function expand(single: string, holes: ts.Expression[]): string[] {
  const parts = single.replaceAll('"', "").match(/[\w.]+|([\ue000-\uf8ff])\1*/g) ?? [];
  const tables = parts.reduce<string[]>(
    (begun, part) => {
      const hole = holes[part.charCodeAt(0) - firstHole];
      const ends = hole ? readTables(hole) : [part];
      return begun.flatMap((start) => ends.map((end) => start + end));
    },
    [""],
  );
  return tables.map((table) => table.replace(/^public\./, ""));
}

/** The possible values of an expression according to its own file; % for unknown ones. */
function readTables(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text.split(" as ", 1)[0] ?? ""];
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)) {
    return readTables(node.expression);
  }
  if (ts.isConditionalExpression(node)) return [...readTables(node.whenTrue), ...readTables(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (begun, { expression, literal }) =>
        begun.flatMap((start) => readTables(expression).map((end) => start + end + literal.text)),
      [node.head.text],
    );
  }
  if (ts.isCallExpression(node) && /^sql\.(table|id|ref|raw|lit)$/.test(node.expression.getText())) {
    return node.arguments[0] ? readTables(node.arguments[0]) : ["%"];
  }
  if (ts.isIdentifier(node)) return readName(node.text, node.parent);
  return ["%"];
}

/** The possible values of a name: a constant, an element of a constant list, or a parameter with literal types. */
function readName(wanted: string, from: ts.Node | undefined): string[] {
  for (let scope = from; scope; scope = scope.parent) {
    const declared = [...declarationsIn(scope)].find(({ name }) => ts.isIdentifier(name) && name.text === wanted);
    if (!declared) continue;
    if (declared.type) return readType(declared.type);
    if (ts.isForOfStatement(scope)) return readElements(scope.expression);
    return declared.initializer && ts.isVariableDeclaration(declared) && isConstant(declared)
      ? readTables(declared.initializer)
      : ["%"];
  }
  return ["%"];
}

const isConstant = ({ parent }: ts.VariableDeclaration) => (parent.flags & ts.NodeFlags.Const) !== 0;

function* declarationsIn(scope: ts.Node): Generator<ts.ParameterDeclaration | ts.VariableDeclaration> {
  if (ts.isFunctionLike(scope)) yield* scope.parameters;
  if (ts.isForOfStatement(scope) && ts.isVariableDeclarationList(scope.initializer)) {
    yield* scope.initializer.declarations;
  }
  if (ts.isBlock(scope) || ts.isSourceFile(scope)) {
    for (const statement of scope.statements) {
      if (ts.isVariableStatement(statement)) yield* statement.declarationList.declarations;
    }
  }
}

function readElements(node: ts.Expression): string[] {
  if (ts.isAsExpression(node)) return readElements(node.expression);
  return ts.isArrayLiteralExpression(node) ? node.elements.flatMap(readTables) : ["%"];
}

function readType(type: ts.TypeNode): string[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(readType);
  if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) return [type.literal.text];
  if (ts.isTypeReferenceNode(type)) {
    const alias = type
      .getSourceFile()
      .statements.find((known) => ts.isTypeAliasDeclaration(known) && known.name.text === type.typeName.getText());
    if (alias && ts.isTypeAliasDeclaration(alias)) return readType(alias.type);
  }
  return ["%"];
}
