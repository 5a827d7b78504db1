import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { startService } from "../../server/src/testing/start-service.ts";
import { findBarriers } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { everyPage, openForEverybody } from "./every-page.ts";
import { makeLivelyWorld } from "./lively-world.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService());
const empty = started.use(await startService());
const browser = started.use(await startBrowser());
const world = await makeLivelyWorld(lodge);

const narrow = { width: 360, height: 740 };
const wide = { width: 1280, height: 720 };
const people = await openForEverybody(browser, lodge, empty, { colorScheme: "light", viewport: wide });

/** The width of a page on a narrow screen. */
async function widthOf(page: Page): Promise<number> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return page.evaluate(
    "Math.max(document.documentElement.scrollWidth, document.querySelector('#content')?.scrollWidth ?? 0)",
  );
}

/**
 * Runs in a page before its scripts. Detects whether the page's scripts, and not only its CSS, depend on the width of
 * the screen.
 */
const detectWidthQueries = `
  globalThis.queriesWidth = false;
  const ask = matchMedia;
  globalThis.matchMedia = (query) => {
    queriesWidth ||= query.includes("width");
    return ask(query);
  };`;
for (const { page } of Object.values(people)) await page.addInitScript(detectWidthQueries);

// Opening a page takes longer than checking it, so each page is opened once for all checks.
const found: string[] = [];
const widths = new Map<string, number>();
for (const { name, as, open } of everyPage) {
  const { page } = people[as];
  await open(page, world);
  found.push(...(await findBarriers(page)).map((barrier) => `${name}, ${barrier}`));
  await page.setViewportSize(narrow);
  widths.set(name, await widthOf(page));
  if ((await page.evaluate("queriesWidth")) || name === "person-menu") {
    await open(page, world);
    widths.set(`${name}, opened narrow`, await widthOf(page));
  }
  await page.setViewportSize(wide);
}

test("axe finds no serious violation on any page in either theme", () => {
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
