import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import type axe from "axe-core";
import type { Page } from "playwright-core";
import { startService } from "../../server/src/testing/start-service.ts";
import { startBrowser } from "./browser.ts";
import { everyPage, openForEverybody } from "./every-page.ts";
import { makeLivelyWorld } from "./lively-world.ts";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Runs in a page; returns when no colour that is seen changes any more: in what is closed a change waits until it opens. */
const settle = `(async () => {
  const nextFrame = () => new Promise(requestAnimationFrame);
  await nextFrame();
  for (;;) {
    await nextFrame();
    const changes = document
      .getAnimations()
      .filter((animation) => animation instanceof CSSTransition && animation.effect.target.checkVisibility());
    if (changes.length === 0) return;
    await Promise.allSettled(changes.map(({ finished }) => finished));
  }
})()`;
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService());
const empty = started.use(await startService());
const browser = started.use(await startBrowser());
const world = await makeLivelyWorld(lodge);

const narrow = { width: 360, height: 740 };
const wide = { width: 1280, height: 720 };
const people = await openForEverybody(browser, lodge, empty, { colorScheme: "light", viewport: wide });

/** How wide a page is that is shown on a narrow screen. */
async function widthOf(page: Page): Promise<number> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return page.evaluate(
    "Math.max(document.documentElement.scrollWidth, document.querySelector('#content')?.scrollWidth ?? 0)",
  );
}

// The theme is a matter of style sheets alone, of their colours: a page need not be opened again for the other one, and
// only what colours have to do with can be otherwise.
const themes: ["light" | "dark", axe.RunOptions][] = [
  ["light", {}],
  ["dark", { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }],
];

// Opening a page takes longer than looking at it, so each is looked at in every way while it is there.
const found: string[] = [];
const widths = new Map<string, number>();
for (const { name, as, open } of everyPage) {
  const { page } = people[as];
  await open(page, world);
  await page.evaluate(axeSource);
  for (const [colorScheme, rules] of themes) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(settle);
    const options: axe.RunOptions = { ...rules, resultTypes: ["violations"] };
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
    for (const { id, impact, nodes } of violations) {
      if (impact !== "serious" && impact !== "critical") continue;
      const where = nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`);
      found.push(`${name}, ${colorScheme}: ${id}: ${where.join("; ")}`);
    }
  }
  await page.setViewportSize(narrow);
  widths.set(name, await widthOf(page));
  // There another way leads to it.
  if (name === "person-menu") {
    await open(page, world);
    widths.set("person-menu, by the menu", await widthOf(page));
  }
  await page.setViewportSize(wide);
}

test("axe finds nothing serious on any page in either theme", () => {
  assert.deepEqual(found, []);
  assert.deepEqual(
    Object.values(people).flatMap(({ problems }) => problems),
    [],
  );
});

test("no page is wider than a screen of 360 px", () => {
  assert.deepEqual(
    [...widths].filter(([, width]) => width !== narrow.width),
    [],
  );
});
