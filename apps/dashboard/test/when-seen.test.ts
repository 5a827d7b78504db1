import { test } from "node:test";
import { whenSeen } from "../src/ui/when-seen.ts";
import { startBrowser } from "./browser.ts";

test("an element that a busy browser tells to be outside, and then inside, at once is seen", async () => {
  await using browser = await startBrowser();
  const { page } = await browser.open("about:blank");
  await page.setContent("<p>An element</p>");
  await page.evaluate(() => {
    const Real = IntersectionObserver;
    globalThis.IntersectionObserver = class extends Real {
      constructor(hear: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        super((entries, observer) => {
          const before = entries.map(({ target }) => ({ target, isIntersecting: false }) as IntersectionObserverEntry);
          hear([...before, ...entries], observer);
        }, options);
      }
    };
  });
  await page.evaluate(`(${whenSeen})(document.querySelector("p"), () => document.body.append("It is seen."))`);
  await page.getByText("It is seen.").waitFor();
  await page.context().close();
});
