/** Strings, names, comments and dollar-quoted texts: a semicolon inside them ends nothing. */
const spans =
  /--[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$])[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;/g;

/**
 * The statements of a text of SQL, in their order, each without its semicolon: a distributed PostgreSQL takes them one by
 * one alone (docs/decisions/cells.md). Of what PostgreSQL understands it knows not all: comments in comments, and bodies of
 * functions that are no strings.
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
