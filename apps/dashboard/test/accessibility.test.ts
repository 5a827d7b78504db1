import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import type axe from "axe-core";
import { startService } from "../../server/src/testing/start-service.ts";
import { startBrowser } from "./browser.ts";
import { everyPage, openForEverybody } from "./every-page.ts";
import { makeLivelyWorld } from "./lively-world.ts";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious on any page in the ${colorScheme} theme`, async () => {
    await using lodge = await startService();
    await using empty = await startService();
    await using browser = await startBrowser();
    const world = await makeLivelyWorld(lodge);
    const people = await openForEverybody(browser, lodge, empty, { colorScheme });
    const found: string[] = [];
    for (const { name, as, open } of everyPage) {
      const { page } = people[as];
      await open(page, world);
      const { violations } = (await page.evaluate(`${axeSource}; axe.run()`)) as axe.AxeResults;
      for (const { id, impact, nodes } of violations) {
        if (impact !== "serious" && impact !== "critical") continue;
        found.push(
          `${name}: ${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`,
        );
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(
      Object.values(people).flatMap(({ problems }) => problems),
      [],
    );
  });
}

test("no page is wider than a screen of 360 px", async () => {
  await using lodge = await startService();
  await using empty = await startService();
  await using browser = await startBrowser();
  const world = await makeLivelyWorld(lodge);
  const people = await openForEverybody(browser, lodge, empty, { viewport: { width: 360, height: 740 } });
  for (const { name, as, open } of everyPage) {
    const { page } = people[as];
    await open(page, world);
    const width = await page.evaluate(
      "Math.max(document.documentElement.scrollWidth, document.querySelector('#content')?.scrollWidth ?? 0)",
    );
    assert.equal(width, 360, name);
  }
});
