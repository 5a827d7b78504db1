import assert from "node:assert/strict";
import { test } from "node:test";
import { groupReport } from "../problems/group-report.ts";
import { dotnet, go, rust } from "./corpus/compiled.ts";
import { browsers, node, reactNative } from "./corpus/javascript.ts";
import { java, kotlin } from "./corpus/jvm.ts";
import { dart, swift } from "./corpus/phones.ts";
import type { Corpus } from "./corpus/report.ts";
import { elixir, php, python, ruby } from "./corpus/scripts.ts";

const corpora = [browsers, node, reactNative, java, kotlin, python, go, ruby, php, swift, dart, dotnet, rust, elixir];

/** Counts the pairs of reports that are grouped as a person would: all pairs, and those of one bug. */
function score({ bugs }: Corpus) {
  const all = Object.entries(bugs).flatMap(([bug, reports]) =>
    reports.map((report) => ({ bug, grouping: groupReport(report) })),
  );
  const wrong: string[] = [];
  const counts = { pairs: 0, right: 0, together: 0, joined: 0 };
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      const isOne = one.bug === other.bug;
      const isGrouped = one.grouping?.hash === other.grouping?.hash;
      counts.pairs += 1;
      if (isOne === isGrouped) counts.right += 1;
      else wrong.push(`${one.bug} / ${other.bug}\n  ${one.grouping?.strings}\n  ${other.grouping?.strings}`);
      if (isOne) counts.together += 1;
      if (isOne && isGrouped) counts.joined += 1;
    }
  }
  return { ...counts, wrong };
}

for (const corpus of corpora) {
  test(`reports of ${corpus.language} are grouped as a person would`, () => {
    const { pairs, right, together, joined, wrong } = score(corpus);
    assert.ok(right / pairs >= 0.97, `${right} of ${pairs} pairs\n${wrong.join("\n")}`);
    assert.ok(joined / together >= 0.9, `${joined} of ${together} pairs of one bug\n${wrong.join("\n")}`);
  });
}

test("the corpus has at least twelve languages, each with three bugs and a bug of three variants", () => {
  assert.ok(corpora.length >= 12);
  for (const { language, bugs } of corpora) {
    const variants = Object.values(bugs).map((reports) => reports.length);
    assert.ok(variants.length >= 3 && variants.some((count) => count >= 3), `${language}: ${variants}`);
  }
});
