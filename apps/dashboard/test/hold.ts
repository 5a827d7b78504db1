import type { Page } from "playwright-core";

/** Holds back the responses to a kind of request until they are released. */
export async function hold(page: Page, method: string, address: RegExp) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) {
      ask();
      await released;
    }
    await route.continue().catch(() => {}); // the page may be closed
  });
  return { asked, release };
}
