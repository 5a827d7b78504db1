import assert from "node:assert/strict";
import { test } from "node:test";
import { missingSections, missingTests, sectionsOf, strayScreenshots } from "./documents.ts";

const sections = {
  interface: sectionsOf("# The interface\n\n## 2. Resources\n\n### 2.1 API token\n\n## 8. Limits\n"),
  contract: sectionsOf("## 2. Order of the checks\n\n## 3. Ingestion\n\n### Browsers\n"),
};

test("a cited section is found even if the citation spans two comment lines", () => {
  for (const text of [
    "/** A token (interface section 2.1; contract section 2, steps 1 to 3 and 5). */",
    "/**\n * A token (interface\n * section 2.1). */",
    "// Limits, interface sections 2 and 8",
    "-- contract sections\n-- 2, 3",
    "The interface has 9 sections.",
  ]) {
    assert.deepEqual(missingSections(text, sections), [], text);
  }
});

test("a cited section that does not exist is reported", () => {
  assert.deepEqual(missingSections("(interface section 2.2; contract section 4)", sections), [
    "interface section 2.2",
    "contract section 4",
  ]);
  assert.deepEqual(missingSections("interface sections 8\n * and 9", sections), ["interface section 9"]);
});

test("a screenshot without a document, and a missing one, are reported", () => {
  const documents = ["![A board](docs/screenshots/board.png)\n![A card](screenshots/card.png)", "see board.png"];
  assert.deepEqual(strayScreenshots(["board.png", "card.png"], documents), []);
  assert.deepEqual(strayScreenshots(["board.png", "set-up.png"], documents), [
    "no document shows set-up.png",
    "card.png is shown and not committed",
  ]);
});

test("a test that a document names but its file lacks is reported", () => {
  const text = "| [a key opens nothing](../apps/a.test.ts), [one of many](../apps/b.test.ts) | [why](why.md#x) |";
  const files = new Map([
    ["apps/a.test.ts", 'test("a key opens nothing", () => {});'],
    ["apps/b.test.ts", "test(`one of many, again and again`, () => {});"],
  ]);
  assert.deepEqual(
    missingTests(text, (path) => files.get(path)),
    [],
  );
  files.set("apps/a.test.ts", 'test("a key", () => {});').delete("apps/b.test.ts");
  assert.deepEqual(
    missingTests(text, (path) => files.get(path)),
    ['apps/a.test.ts has no test "a key opens nothing"', 'apps/b.test.ts has no test "one of many"'],
  );
});
