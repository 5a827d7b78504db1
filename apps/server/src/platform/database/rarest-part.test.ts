import assert from "node:assert/strict";
import { test } from "node:test";
import { containing, rarestPart } from "./rarest-part.ts";

const asked = (text: string, sample: string[]) => rarestPart(text, async () => sample.map((text) => ({ text })));
const numbered = Array.from({ length: 200 }, (_, index) => `Order ${index} of WORD4${index} is late`);

test("the searched part is the six consecutive letters that are rarest in the sample, in any case", async () => {
  assert.deepEqual(await asked("Word4870X", numbered), { part: "d4870X", isRare: true, sixGram: "d4870x" });
  assert.deepEqual(await asked("word of Zürich", numbered), { part: "Zürich", isRare: true, sixGram: null });
  // The last of equally rare parts, since related texts often start alike.
  assert.deepEqual(await asked("kx81q702", numbered), { part: "81q702", isRare: true, sixGram: "81q702" });
  assert.deepEqual(await asked("second", numbered), { part: "second", isRare: true, sixGram: "second" });
});

test("a common part stays common however long it is, and without a sample no part is rare", async () => {
  const everywhere = numbered.map((text) => `${text} everywhere`);
  const { isRare, sixGram } = await asked("everywhere", everywhere);
  assert.deepEqual([isRare, sixGram], [false, null]);
  assert.deepEqual(await asked("word4870x", []), { part: "word4870x", isRare: false, sixGram: null });
});

test("a text without six consecutive letters is searched as a whole, without a sample", async () => {
  const unread = () => assert.fail("a sample is read");
  for (const text of ["", "red", "a-b c_d e%f", "cut! off?"]) {
    assert.deepEqual(await rarestPart(text, unread), { part: text, isRare: false, sixGram: null });
  }
});

test("special characters of a pattern are escaped", () => {
  assert.equal(containing("100%_\\"), "%100\\%\\_\\\\%");
});
