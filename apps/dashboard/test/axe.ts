import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

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

// The theme is a matter of style sheets alone, of their colours: a page need not be opened again for the other one, and
// only what colours have to do with can be otherwise.
const themes: ["light" | "dark", axe.RunOptions][] = [
  ["light", {}],
  ["dark", { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }],
];

/** What axe finds serious of a page as it stands, in either theme. */
export async function findBarriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axeSource);
  for (const [colorScheme, rules] of themes) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(settle);
    const options: axe.RunOptions = { ...rules, resultTypes: ["violations"] };
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
    for (const { id, impact, nodes } of violations) {
      if (impact !== "serious" && impact !== "critical") continue;
      const where = nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`);
      found.push(`${colorScheme}: ${id}: ${where.join("; ")}`);
    }
  }
  return found;
}
