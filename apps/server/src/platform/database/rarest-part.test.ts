import assert from "node:assert/strict";
import { test } from "node:test";
import { containing, rarestPart } from "./rarest-part.ts";

const asked = (text: string, sample: string[]) => rarestPart(text, async () => sample.map((text) => ({ text })));
const numbered = Array.from({ length: 200 }, (_, index) => `Order ${index} of WORD4${index} is late`);

test("an index is asked for the six letters in a row that fewest texts of the sample have, in whatever case", async () => {
  assert.deepEqual(await asked("Word4870X", numbered), { part: "d4870X", isRare: true, sixGram: "d4870x" });
  assert.deepEqual(await asked("word of Zürich", numbered), { part: "Zürich", isRare: true, sixGram: null });
  // Of equally rare parts it is the last: texts that belong together begin alike.
  assert.deepEqual(await asked("kx81q702", numbered), { part: "81q702", isRare: true, sixGram: "81q702" });
  assert.deepEqual(await asked("second", numbered), { part: "second", isRare: true, sixGram: "second" });
});

test("a common part is no rarer for being long, and without a sample nothing is rare", async () => {
  const everywhere = numbered.map((text) => `${text} everywhere`);
  const { isRare, sixGram } = await asked("everywhere", everywhere);
  assert.deepEqual([isRare, sixGram], [false, null]);
  assert.deepEqual(await asked("word4870x", []), { part: "word4870x", isRare: false, sixGram: null });
});

test("a text without six letters in a row is asked for as it is, and no sample is read", async () => {
  const unread = () => assert.fail("a sample is read");
  for (const text of ["", "red", "a-b c_d e%f", "cut! off?"]) {
    assert.deepEqual(await rarestPart(text, unread), { part: text, isRare: false, sixGram: null });
  }
});

test("special characters of a pattern stand for themselves", () => {
  assert.equal(containing("100%_\\"), "%100\\%\\_\\\\%");
});
