import assert from "node:assert/strict";
import { test } from "node:test";
import { descriptionLengthMax } from "@lodge/contract/limits";
import { cleanText, fitDescription, fitTitle, readEnds } from "../src/text.ts";

test("colours, progress bars and invalid characters are removed from texts", () => {
  const coloured = "\u001b[31mred\u001b[0m \u001b]8;;https://x.test\u0007link\u001b]8;;\u0007";
  assert.equal(cleanText(coloured), "red link");
  assert.equal(cleanText("10 %\r50 %\r100 %\ndone\r\nnext"), "100 %\ndone\nnext");
  assert.equal(cleanText("1 %\r\r2 %\r\nkept\n3 %\r4 %\r"), "2 %\nkept\n4 %");
  assert.equal(cleanText("a\0b\u0007c\td\ud800e😀"), "abc\td\ufffde😀");
});

test("a title is one line of at most 200 characters", () => {
  assert.deepEqual(fitTitle(" two\nlines "), { title: "two lines", cut: false });
  const { title, cut } = fitTitle("😀".repeat(201));
  assert.deepEqual([[...title].length, title.endsWith("…"), cut], [200, true, true]);
});

test("a long description keeps its start and end, and says how much is missing", () => {
  const fits = "😀".repeat(descriptionLengthMax);
  assert.deepEqual(fitDescription(fits), { description: fits, leftOut: 0 });
  const { description, leftOut } = fitDescription(`start ${"x".repeat(2_000_000)} the error`);
  assert.ok(description.startsWith("start x") && description.endsWith(" the error"));
  assert.ok([...description].length <= descriptionLengthMax);
  assert.match(description, new RegExp(`\\[… ${leftOut.toLocaleString("en")} characters left out …\\]`));
  const kept = [...description.replace(/\n\n\[…[^\]]+\]\n\n/, "")].length;
  assert.equal(kept + leftOut, "start  the error".length + 2_000_000);
});

test("a stream of any length is read in bounded memory, even if chunks split characters", async () => {
  const smile = Buffer.from("😀");
  async function* chunks() {
    yield Buffer.from("first ");
    yield smile.subarray(0, 2);
    yield smile.subarray(2);
    for (let i = 0; i < 64; i++) yield Buffer.alloc(131_072, "x");
    yield Buffer.from(" last");
  }
  const { text, leftOut } = await readEnds(chunks());
  assert.ok(text.startsWith("first 😀x") && text.endsWith("x last"));
  assert.ok(text.length < 4_000_000);
  assert.equal(text.length + leftOut, "first 😀 last".length + 64 * 131_072);
});
