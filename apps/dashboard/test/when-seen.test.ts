import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import { startBrowser } from "./browser.ts";

/** Reports every visible element as first out of view, then in view, like a busy browser. */
const busy = `globalThis.IntersectionObserver = class extends IntersectionObserver {
  constructor(hear, options) {
    const outside = ({ target }) => ({ target, isIntersecting: false });
    super((entries, observer) => hear([...entries.map(outside), ...entries], observer), options);
  }
}`;

test("an element that leaves and enters the view in one batch of entries counts as seen", async () => {
  const source = await readFile(new URL("../src/ui/when-seen.ts", import.meta.url), "utf8");
  await using browser = await startBrowser();
  const { page } = await browser.open("about:blank");
  await page.setContent("<p>An element</p>");
  await page.evaluate(busy);
  const whenSeen = stripTypeScriptTypes(source).replace("export ", "");
  await page.evaluate(`${whenSeen}; whenSeen(document.querySelector("p"), () => document.body.append("It is seen."));`);
  await page.getByText("It is seen.").waitFor();
  await page.context().close();
});
