import type { Page } from "playwright-core";

/** Holds the answers to requests of a kind back until it is told to let them through. */
export async function hold(page: Page, method: string, address: RegExp) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) {
      ask();
      await released;
    }
    await route.continue().catch(() => {}); // the page has gone
  });
  return { asked, release };
}
