import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../../server/src/testing/start-service.ts";
import { startBrowser } from "./browser.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

test("the reference shows in a browser, and asks nobody but the server", async () => {
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(lodge.url);
  const asked = new Set<string>();
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  await page.goto("/docs");
  await page.locator('[id="tag/Tickets/operation/fileTicket"]').waitFor();
  await page.getByRole("tab", { name: "lodge" }).first().click();
  assert.deepEqual([...asked], [lodge.url]);
  assert.deepEqual(problems, []);
});
