import assert from "node:assert/strict";
import { test } from "node:test";
import { unplainComments, unplainSentences } from "./plain-english.ts";

const faults = async (text: string) => (await unplainSentences(text)).length;

test("a sentence above 35 words is a fault, and code counts as one word", async () => {
  const words = (count: number) => `It is ${"very ".repeat(count - 3)}long.`;
  assert.equal(await faults(words(35)), 0);
  assert.equal(await faults(words(36)), 1);
  assert.equal(await faults(`${words(34).slice(0, -1)} \`a b c d e\`.`), 0);
  assert.equal(await faults(`${words(30)} ${words(30)}`), 0);
});

test("a sentence that begins with a noun clause is a fault; a question or a title is not", async () => {
  assert.equal(await faults("What fails is told again."), 1);
  assert.equal(await faults("It is new. Whoever asks is told."), 1);
  assert.equal(await faults("What is a problem? A group of events."), 0);
  assert.equal(await faults("**What to do.** Send a title.\n\n[What it measures](x.md)"), 0);
});

test("words that the glossary replaces are faults, outside of code", async () => {
  assert.equal(await faults("Each member sees his cards."), 1);
  assert.equal(await faults("A board that is none is refused."), 1);
  assert.equal(await faults("If there is none, send `his`."), 0);
});

test("a comment that begins a sentence with a noun clause, or calls a person he, is a fault", () => {
  assert.deepEqual(
    unplainComments("/** What to do. */\nconst what = 'What fails is retried.';\n// Is it his? // no\n"),
    ['3: write "they" instead of "his"'],
  );
  const clauses = [
    "/** What fails is retried. */\nretry();",
    "type Row = {\n  /** How many there are */\n  count: number };",
    "/**\n * Retries.\n * Whoever calls it\n * waits.\n */",
    "// It is new. What\n// fails is retried.",
    "retry(); // What fails is retried",
  ];
  assert.deepEqual(
    clauses.map((source) => unplainComments(source).length),
    [1, 1, 1, 1, 1],
  );
});
