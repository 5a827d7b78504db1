/** Strings, names, comments and dollar-quoted texts, in which a semicolon does not end a statement. */
const spans =
  /--[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$])[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;/g;

/**
 * Splits SQL into its statements, without their semicolons: a distributed PostgreSQL only accepts them one by one
 * (docs/decisions/cells.md). Does not support nested comments, or function bodies that are not strings.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let begin = 0;
  const add = (end: number) => {
    const statement = text.slice(begin, end).trim();
    if (statement.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim() !== "") statements.push(statement);
  };
  for (const { 0: span, index } of text.matchAll(spans)) {
    if (span !== ";") continue;
    add(index);
    begin = index + 1;
  }
  add(text.length);
  return statements;
}
