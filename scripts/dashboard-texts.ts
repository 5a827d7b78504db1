import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Attributes whose values people do not see. */
const unread = new Set(["className", "class", "id", "to", "d", "viewBox", "key", "type", "name", "role", "htmlFor"]);

/** Every visible text of the dashboard, with its place. */
export function dashboardTexts(): { file: string; line: number; text: string }[] {
  return globSync("apps/dashboard/src/**/*.{ts,tsx}", { cwd: root })
    .sort()
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(root + file, "utf8"), ts.ScriptTarget.Latest, true);
      const texts: { file: string; line: number; text: string }[] = [];
      visit(source, (node, text) => {
        texts.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
      });
      return texts;
    });
}

function visit(node: ts.Node, print: (node: ts.Node, text: string) => void) {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
  if (ts.isJsxAttribute(node) && unread.has(node.name.getText())) return;
  const text = textOf(node);
  if (text !== undefined && (ts.isJsxText(node) ? /[a-z]/i.test(text) : isRead(text))) print(node, text);
  ts.forEachChild(node, (child) => visit(child, print));
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text.replace(/\s+/g, " ").trim();
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join("");
}

/** Whether a string is text and not class names, a path or a code: it starts with a capital or has punctuation. */
function isRead(text: string): boolean {
  if (!/[a-z]/i.test(text)) return false;
  const words = text.trim().split(/\s+/);
  if (words.some((word) => /^-?[a-z-]*[[\]:]|^[a-z]+-[a-z0-9-]+$|\//.test(word)) && !/^["“A-Z]/.test(text))
    return false;
  return /^["“]?[A-Z][a-z]/.test(text) || words.length > 1;
}
