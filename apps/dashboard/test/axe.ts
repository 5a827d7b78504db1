import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/**
 * Runs in a page. Waits until no visible element is in a transition. Hidden elements start their transitions only when
 * shown.
 */
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

/** Runs in a page. Returns the input of the rules that are not about colours: elements, positions and visibility. */
const describeShape = `JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll("*")].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const { scrollWidth, scrollHeight } = element;
    const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return [x, y, width, height, scrollWidth, scrollHeight, isSeen];
  }),
])`;

const everyRule: axe.RunOptions = {};
const rulesOfColours: axe.RunOptions = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/**
 * The serious violations that axe finds on a page in both themes. If the dark theme changes only colours, only the
 * colour rules run again.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axeSource);
  let shapeInLight: unknown;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(settle);
    const shape = await page.evaluate(describeShape);
    const rules = shape === shapeInLight ? rulesOfColours : everyRule;
    const options: axe.RunOptions = { ...rules, resultTypes: ["violations"] };
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
    shapeInLight = await page.evaluate(describeShape);
    for (const { id, impact, nodes } of violations) {
      if (impact !== "serious" && impact !== "critical") continue;
      const where = nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`);
      found.push(`${colorScheme}: ${id}: ${where.join("; ")}`);
    }
  }
  return found;
}
