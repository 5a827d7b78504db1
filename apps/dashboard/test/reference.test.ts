import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../../server/src/testing/start-service.ts";
import { openAs, startBrowser } from "./browser.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

test("the reference loads in a browser without requests to other hosts", async () => {
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

test("an app page links to guides that contain its key and can be searched", async () => {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ name: "Ada", email: "ada@acme.test", role: "member" }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const key = apps[0]?.keys[0]?.key ?? "";
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "ada@acme.test");
  await page.goto(`/apps/${apps[0]?.id}`);
  const guide = await page.getByRole("link", { name: "Lodge SDK" }).getAttribute("href");
  await page.goto(guide ?? "");
  await page.getByText(`key: "${key}"`).first().waitFor();
  await page.getByRole("searchbox", { name: "Search the guides" }).fill("sendBeforeExit");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /results? for “sendBeforeExit”/ }).waitFor();
  await page.getByRole("main").getByRole("link").first().click();
  await page.waitForURL(/\/docs\/guides\/sdk#/);
  assert.deepEqual(problems, []);
});
