import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AnyTxtNode } from "@textlint/ast-node-types";
import { TextlintKernel, type TextlintRuleModule } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
// @ts-expect-error: it has no types
import terminology from "textlint-rule-terminology";
import { dashboardTexts } from "./dashboard-texts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const kernel = new TextlintKernel();
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
const wordsMax = 35;
/** The start of a clause that stands for a noun, as in "What fails is retried". "What to do" and the like are not one. */
const headless = /^(Who|Whom|Whose|Whoever|What|Whatever|How (?:many|much|long|far|often)) (?!to )/;

/** Words that `docs/glossary.md` has another word for. A word that also has a usual sense is left to readers. */
const terms = [
  ["(?:he|him|himself)", "they"],
  ["his", "their"],
  ["manieth", "how many times"],
  ["taken back", "undone"],
  ["swimlanes?", "column"],
];

/** Sentences above 35 words, and sentences that begin with a clause for a noun, as in "What fails is told again". */
const plainSentences: TextlintRuleModule = ({ Syntax, RuleError, report }) => ({
  [Syntax.Paragraph](node) {
    for (const { segment } of sentences.segment(wordsOf(node))) {
      for (const fault of faultsOf(segment)) report(node, new RuleError(fault));
    }
  },
});

/** The text of a node, with code as one word. */
function wordsOf(node: AnyTxtNode): string {
  if (node.type === "Code") return "Code";
  if ("children" in node) return (node.children as AnyTxtNode[]).map(wordsOf).join("");
  return "value" in node && node.type === "Str" ? String(node.value).replaceAll("\n", " ") : " ";
}

function faultsOf(sentence: string): string[] {
  const words = sentence.split(" ").filter((word) => /\w/.test(word)).length;
  const begins = `${sentence.slice(0, 60).trim()} …`;
  const isHeadless = headless.test(sentence) && /[.;]\s*$/.test(sentence);
  return [
    ...(words > wordsMax ? [`${words} words, where a sentence has at most ${wordsMax}: ${begins}`] : []),
    ...(isHeadless ? [`begin with the noun that the clause stands for: ${begins}`] : []),
    ...(/(?<!there )\b(is|are) none\b/.test(sentence) ? [`write "there is no …": ${begins}`] : []),
  ];
}

/** Where a Markdown text breaks the rules of plain English, as `line: fault`. */
export async function unplainSentences(text: string): Promise<string[]> {
  const { messages } = await kernel.lintText(text, {
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown.default }],
    rules: [
      { ruleId: "plain-sentences", rule: plainSentences },
      { ruleId: "terminology", rule: terminology, options: { defaultTerms: false, terms } },
    ],
  });
  return messages.map(({ line, message }) => `${line}: ${message}`);
}

/** Where documents, the descriptions of `openapi.json` and texts of the dashboard break the rules of plain English. */
export async function unplainTexts(): Promise<string[]> {
  const documents = globSync("{*.md,{docs,examples,deploy,integrations,packages}/**/*.md}", {
    cwd: root,
    exclude: ["**/node_modules", "docs/interface.md", "docs/contract.md"], // agreed texts
  });
  const faults: string[] = [];
  for (const file of documents.sort()) {
    for (const fault of await unplainSentences(readFileSync(root + file, "utf8"))) faults.push(`${file}:${fault}`);
  }
  const descriptions = descriptionsOf(
    JSON.parse(readFileSync(`${root}docs/openapi.json`, "utf8")),
    "docs/openapi.json",
  );
  const texts = dashboardTexts().map(({ file, line, text }) => ({ place: `${file}:${line}`, text }));
  return [...faults, ...(await unplainOf(descriptions)), ...(await unplainOf(texts)), ...unplainSources()];
}

function unplainSources(): string[] {
  const sources = globSync("{apps,packages,scripts,bench,examples,integrations}/**/*.{ts,tsx,mjs,js}", {
    cwd: root,
    exclude: ["**/node_modules", "**/dist", "**/*.generated.ts", "scripts/plain-english*.ts"], // it quotes faults
  });
  return sources
    .sort()
    .flatMap((file) => unplainComments(readFileSync(root + file, "utf8")).map((fault) => `${file}:${fault}`));
}

/**
 * Comments of a source that begin a sentence with a clause for a noun, or say "he" of anybody, as `line: fault`. Reads
 * lines, not the language: a comment is a block of lines, or the end of a line behind a space.
 */
export function unplainComments(source: string): string[] {
  const comments = source.matchAll(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|(?<=\S[ \t])\/\/ .*/gm);
  return [...comments].flatMap(({ 0: comment, index }) => {
    const text = comment
      .replaceAll(/\s*\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g, " ")
      .replaceAll(/^\s*\/[/*]+\s*|\s*\*\/$/g, "");
    const line = source.slice(0, index).split("\n").length + (comment.startsWith("\n") ? 1 : 0);
    const begun = text.split(/(?<=[.!?;]) /).find((sentence) => headless.test(sentence) && !sentence.endsWith("?"));
    const generic = /\b(he|him|his|himself)\b/i.exec(text)?.[0];
    return [
      ...(begun ? [`${line}: begin with the noun that the clause stands for: ${begun.slice(0, 60)} …`] : []),
      ...(generic ? [`${line}: write "they" instead of "${generic}"`] : []),
    ];
  });
}

/** Checks many short texts as the paragraphs of one document. */
async function unplainOf(texts: { place: string; text: string }[]): Promise<string[]> {
  const faults = await unplainSentences(texts.map(({ text }) => text.replace(/\s+/g, " ").trim()).join("\n\n"));
  return faults.map((fault) => {
    const [line = "", ...message] = fault.split(": ");
    return `${texts[(Number(line) - 1) / 2]?.place}: ${message.join(": ")}`;
  });
}

function descriptionsOf(value: unknown, place: string): { place: string; text: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === "description" || key === "summary") && typeof inner === "string"
      ? [{ place, text: inner }]
      : descriptionsOf(inner, `${place} ${key}`),
  );
}
